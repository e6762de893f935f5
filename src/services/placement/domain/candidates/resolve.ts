// Looks up the names in a request for allocation candidates, because the search works with ids.
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

/** A request group, by ids. */
export interface ResolvedGroup {
  readonly suffix: string;
  readonly resources: readonly RequestedResource[];
  readonly requiredTraits: readonly (readonly number[])[];
  readonly forbiddenTraits: readonly number[];
  readonly memberOf: readonly (readonly number[])[];
  readonly notMemberOf: readonly number[];
  /** The root of the only tree to search. */
  readonly treeRoot: number | undefined;
}

/** A request for allocation candidates, by ids. */
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
 * A request after the lookup of its names. Upstream processes the groups in order, and a group only
 * if all earlier groups have candidates.
 */
export interface Resolution {
  /** The request, with the groups before the first one that is unknown or has no candidates. */
  readonly request: ResolvedRequest;
  /** Why the groups end there; undefined if the request has all its groups. */
  readonly end: 'no candidates' | UnknownName | undefined;
}

/** A group with an unknown class or trait. */
export interface UnknownName {
  readonly error: ApiError;
  /** Upstream searches for providers in these aggregates before it looks up the name. */
  readonly memberOf: readonly (readonly number[])[];
}

/**
 * Looks up the names of a request.
 * @throws 400 for unknown traits of the root, which upstream looks up before the groups
 */
export async function resolveRequest(db: Db, request: CandidateRequest): Promise<Resolution> {
  const {
    groups,
    limit,
    isolate,
    rootRequired = [],
    rootForbidden = [],
    rootForbiddenIfKnown = [],
    sameSubtree = [],
  } = request;
  const ids = await lookUpIds(db, request);
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
      rootForbidden: [...rootForbidden, ...rootForbiddenIfKnown].flatMap(
        (name) => ids.traits.get(name) ?? [],
      ),
      sameSubtree: sameSubtree.map((suffixes) => suffixes.map(indexOf)),
    },
    end,
  };
}

/** Ids by name, and the roots of trees by the UUID of any of their providers. */
interface Ids {
  readonly classes: ReadonlyMap<string, number>;
  readonly traits: ReadonlyMap<string, number>;
  readonly aggregates: ReadonlyMap<string, number>;
  readonly trees: ReadonlyMap<string, { readonly rootId: number }>;
}

async function lookUpIds(
  db: Db,
  { groups, rootRequired = [], rootForbidden = [], rootForbiddenIfKnown = [] }: CandidateRequest,
): Promise<Ids> {
  const collect = <T>(namesOf: (group: RequestGroup) => readonly T[]): T[] => [
    ...new Set(groups.flatMap(namesOf)),
  ];
  const traits = [
    ...collect((group) => [...group.traits.required.flat(), ...group.traits.forbidden]),
    ...rootRequired,
    ...rootForbidden,
    ...rootForbiddenIfKnown,
  ];
  const aggregates = collect((group) => [
    ...group.aggregates.required.flat(),
    ...group.aggregates.forbidden,
  ]);
  return {
    classes: await idsOf(
      db,
      classTable,
      collect(({ resources }) => [...resources.keys()]),
    ),
    traits: await idsOf(db, traitTable, [...new Set(traits)]),
    aggregates: await findAggregateIds(db, aggregates),
    trees: await findProviders(
      db,
      collect(({ inTree }) => (inTree === undefined ? [] : [inTree])),
    ),
  };
}

/**
 * Resolves a group in the order of upstream's RequestGroupSearchContext: classes, aggregates,
 * traits, tree.
 */
function resolveGroup(
  group: RequestGroup,
  ids: Ids,
): ResolvedGroup | 'no candidates' | UnknownName {
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
