// Finding allocation candidates: the names of a request are looked up, and what it asks for is
// searched.
import { filterRoots } from '../../store/candidates.ts';
import type { CandidateRequest } from '../../model.ts';
import { resolveRequest, type ResolvedGroup, type ResolvedRequest } from './resolve.ts';
import { search, type AllocationCandidates, type SearchOptions } from './search.ts';
import type { Db } from '../../../../kernel/db/database.ts';

const none: AllocationCandidates = {
  candidates: [],
  more: undefined,
  trees: new Map(),
  loaded: [],
};

/**
 * The candidates of a request. As upstream looks at one group after the other, a name that does not
 * exist is told only if each of the earlier groups, by itself, has candidates.
 * @throws 400 for unknown resource classes and traits
 */
export async function findCandidates(
  db: Db,
  request: CandidateRequest,
  options: SearchOptions,
): Promise<AllocationCandidates> {
  const { request: resolved, end } = await resolveRequest(db, request);
  if (!end) return search(db, resolved, options);
  if (end === 'no candidates') return none;
  const alone = (groups: readonly ResolvedGroup[]): ResolvedRequest => ({
    ...resolved,
    groups,
    limit: 1,
    isolate: false,
    sameSubtree: [],
  });
  const hasAny = async (one: ResolvedRequest): Promise<boolean> =>
    (await search(db, one, { ...options, nested: true, steps: Infinity })).candidates.length > 0;
  if (!(await hasRoot(db, resolved))) return none;
  for (const group of resolved.groups) if (!(await hasAny(alone([group])))) return none;
  if (
    end.memberOf.length &&
    !(await hasAny({ ...alone([inAggregates(end.memberOf)]), rootRequired: [], rootForbidden: [] }))
  )
    return none;
  throw end.error;
}

/** Whether a tree may be looked at: upstream looks for their roots first. */
const hasRoot = async (
  db: Db,
  { rootRequired, rootForbidden }: ResolvedRequest,
): Promise<boolean> =>
  (
    await filterRoots(
      db,
      0,
      { resources: [], required: rootRequired, forbidden: rootForbidden, root: undefined },
      1,
    )
  ).length > 0;

/** A group that asks only for a provider in the aggregates. */
const inAggregates = (memberOf: ResolvedGroup['memberOf']): ResolvedGroup => ({
  suffix: 'aggregates',
  resources: [],
  requiredTraits: [],
  forbiddenTraits: [],
  memberOf,
  notMemberOf: [],
  treeRoot: undefined,
});
