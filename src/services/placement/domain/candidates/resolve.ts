// A request for allocation candidates with ids in the place of names: what the search works with.
import { badRequest, type ApiError } from '../../../../kernel/errors.ts';
import { findAggregateIds } from '../../store/aggregates.ts';
import { classTable, idsOf, traitTable } from '../../store/names.ts';
import { findProviders } from '../../store/resource-providers.ts';
import type { CandidateRequest, RequestGroup } from '../../model.ts';
import type { Db } from '../../../../kernel/db/database.ts';

/** An amount of a resource class. */
export interface RequestedResource {
  readonly classId: number;
  readonly amount: number;
}

/** A request group, in ids. */
export interface ResolvedGroup {
  readonly suffix: string;
  readonly resources: readonly RequestedResource[];
  readonly requiredTraits: readonly (readonly number[])[];
  readonly forbiddenTraits: readonly number[];
  readonly memberOf: readonly (readonly number[])[];
  readonly notMemberOf: readonly number[];
  /** The root of the only tree to look in. */
  readonly treeRoot: number | undefined;
}

/** A request for allocation candidates, in ids. */
export interface ResolvedRequest {
  readonly groups: readonly ResolvedGroup[];
  readonly limit: number | undefined;
  readonly isolate: boolean;
  readonly rootRequired: readonly number[];
  readonly rootForbidden: readonly number[];
  /** Sets of indexes into `groups`. */
  readonly sameSubtree: readonly (readonly number[])[];
}

/**
 * What has become of a request. Upstream looks at the groups one after the other, and at a later
 * one only if the earlier have candidates.
 */
export interface Resolution {
  /**
   * The request, with the groups before the first that has no candidates, or names what does not
   * exist.
   */
  readonly request: ResolvedRequest;
  /** Why there is no group after those; undefined where all groups are there. */
  readonly end: 'no candidates' | Unknown | undefined;
}

/** A group that names a class or a trait that does not exist. */
export interface Unknown {
  readonly error: ApiError;
  /** What upstream looks for before it looks the name up: providers in these aggregates. */
  readonly memberOf: readonly (readonly number[])[];
}

/**
 * Looks up the names of a request.
 * @throws 400 for unknown traits of the root, which upstream looks up first
 */
export async function resolveRequest(db: Db, request: CandidateRequest): Promise<Resolution> {
  const {
    groups,
    limit,
    isolate,
    rootRequired = [],
    rootForbidden = [],
    sameSubtree = [],
  } = request;
  const ids = await idsIn(db, request);
  for (const names of [rootRequired, rootForbidden]) {
    const error = unknownTrait(names, ids);
    if (error) throw error;
  }
  const resolved: ResolvedGroup[] = [];
  let end: Resolution['end'];
  for (const group of groups) {
    const next = resolveGroup(group, ids);
    if (next === 'no candidates' || 'error' in next) {
      end = next;
      break;
    }
    resolved.push(next);
  }
  const indexOf = (suffix: string): number => groups.findIndex((group) => group.suffix === suffix);
  return {
    request: {
      groups: resolved,
      limit,
      isolate,
      rootRequired: rootRequired.map((name) => ids.traits.get(name)!),
      rootForbidden: rootForbidden.map((name) => ids.traits.get(name)!),
      sameSubtree: sameSubtree.map((suffixes) => suffixes.map(indexOf)),
    },
    end,
  };
}

/** Ids by name, and the roots of the trees by the UUIDs of their members. */
interface Ids {
  readonly classes: ReadonlyMap<string, number>;
  readonly traits: ReadonlyMap<string, number>;
  readonly aggregates: ReadonlyMap<string, number>;
  readonly trees: ReadonlyMap<string, { readonly rootId: number }>;
}

async function idsIn(
  db: Db,
  { groups, rootRequired = [], rootForbidden = [] }: CandidateRequest,
): Promise<Ids> {
  const each = <T>(namesOf: (group: RequestGroup) => readonly T[]): T[] => [
    ...new Set(groups.flatMap(namesOf)),
  ];
  const traits = [
    ...each((group) => [...group.traits.required.flat(), ...group.traits.forbidden]),
    ...rootRequired,
    ...rootForbidden,
  ];
  const aggregates = each((group) => [
    ...group.aggregates.required.flat(),
    ...group.aggregates.forbidden,
  ]);
  return {
    classes: await idsOf(
      db,
      classTable,
      each(({ resources }) => [...resources.keys()]),
    ),
    traits: await idsOf(db, traitTable, [...new Set(traits)]),
    aggregates: await findAggregateIds(db, aggregates),
    trees: await findProviders(
      db,
      each(({ inTree }) => (inTree === undefined ? [] : [inTree])),
    ),
  };
}

/** In the order of upstream's RequestGroupSearchContext: classes, aggregates, traits, tree. */
function resolveGroup(group: RequestGroup, ids: Ids): ResolvedGroup | 'no candidates' | Unknown {
  const { suffix, resources, traits, aggregates, inTree } = group;
  const existing = (uuids: readonly string[]): number[] =>
    uuids.flatMap((uuid) => ids.aggregates.get(uuid) ?? []);
  const unknownClass = [...resources.keys()].find((name) => !ids.classes.has(name));
  if (unknownClass !== undefined) {
    const error = badRequest(
      `Invalid resource class in resources parameter: No such resource class ${unknownClass}.`,
    );
    return { error, memberOf: [] };
  }
  const memberOf = aggregates.required.map(existing);
  if (memberOf.some((any) => !any.length)) return 'no candidates';
  const error = unknownTrait([...traits.required.flat(), ...traits.forbidden], ids);
  if (error) return { error, memberOf };
  const tree = inTree === undefined ? undefined : ids.trees.get(inTree);
  if (inTree !== undefined && !tree) return 'no candidates';
  return {
    suffix,
    resources: [...resources].map(([name, amount]) => ({
      classId: ids.classes.get(name)!,
      amount,
    })),
    requiredTraits: traits.required.map((any) => any.map((name) => ids.traits.get(name)!)),
    forbiddenTraits: traits.forbidden.map((name) => ids.traits.get(name)!),
    memberOf,
    notMemberOf: existing(aggregates.forbidden),
    treeRoot: tree?.rootId,
  };
}

function unknownTrait(names: readonly string[], { traits }: Ids): ApiError | undefined {
  const unknown = names.find((name) => !traits.has(name));
  return unknown === undefined ? undefined : badRequest(`No such trait(s): ${unknown}.`);
}
