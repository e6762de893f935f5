// Finds allocation candidates: it looks up the names of a request, and searches the provider
// trees.
import { keptTrees } from '../../store/kept-trees.ts';
import type { CandidateRequest } from '../../model.ts';
import { resolveRequest, type ResolvedGroup, type ResolvedRequest } from './resolve.ts';
import { search, type AllocationCandidates, type SearchOptions } from './search.ts';
import { hasTraits } from './tree.ts';
import type { Db } from '../../../../kernel/db/database.ts';

const none: AllocationCandidates = {
  candidates: [],
  more: undefined,
  trees: new Map(),
  loaded: [],
};

/**
 * Finds the candidates of a request. Upstream processes the groups in order, so an unknown name is
 * an error only if each of the earlier groups has candidates by itself.
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
  const onlyGroups = (groups: readonly ResolvedGroup[]): ResolvedRequest => ({
    ...resolved,
    groups,
    limit: 1,
    isolate: false,
    sameSubtree: [],
  });
  const hasAny = async (part: ResolvedRequest): Promise<boolean> =>
    (await search(db, part, { ...options, nested: true, steps: Infinity })).candidates.length > 0;
  if (!(await hasRoot(db, resolved))) return none;
  for (const group of resolved.groups) if (!(await hasAny(onlyGroups([group])))) return none;
  if (
    end.memberOf.length &&
    !(await hasAny({
      ...onlyGroups([inAggregates(end.memberOf)]),
      rootRequired: [],
      rootForbidden: [],
    }))
  )
    return none;
  throw end.error;
}

/** Whether any root has the traits that the request needs. Upstream searches for roots first. */
const hasRoot = async (db: Db, request: ResolvedRequest): Promise<boolean> =>
  (await keptTrees(db)).all.some(({ root }) => hasTraits(root, request));

/** A group without any conditions but membership in the aggregates. */
const inAggregates = (memberOf: ResolvedGroup['memberOf']): ResolvedGroup => ({
  suffix: 'aggregates',
  resources: [],
  requiredTraits: [],
  forbiddenTraits: [],
  memberOf,
  notMemberOf: [],
  treeRoot: undefined,
});
