// A request for allocation candidates with ids in the place of names: what the search works with.
import { badRequest } from '../../../../kernel/fault.ts';
import { findAggregates } from '../../store/aggregates.ts';
import { classTable, idsOf, traitTable } from '../../store/names.ts';
import { findProviders } from '../../store/resource-providers.ts';
import type { CandidateRequest, RequestGroup } from '../records.ts';
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
 * Looks up the names of a request.
 * @returns undefined where a tree or an aggregate in it does not exist, so that there are no candidates
 * @throws 400 for unknown resource classes and traits
 */
export async function resolveRequest(db: Db, request: CandidateRequest): Promise<ResolvedRequest | undefined> {
  const { groups, limit, isolate, rootRequired = [], rootForbidden = [], sameSubtree = [] } = request;
  const classNames = groups.flatMap(({ resources }) => [...resources.keys()]);
  const classes = await idsOf(db, classTable, classNames);
  const unknownClass = classNames.find((name) => !classes.has(name));
  if (unknownClass !== undefined)
    throw badRequest(`Invalid resource class in resources parameter: No such resource class ${unknownClass}.`);
  const traits = await traitIds(db, [
    ...groups.flatMap((group) => [...group.traits.required.flat(), ...group.traits.forbidden]),
    ...rootRequired,
    ...rootForbidden,
  ]);
  const aggregates = await findAggregates(db, groups.flatMap((group) => [...group.aggregates.required.flat(), ...group.aggregates.forbidden])); // prettier-ignore
  const trees = await findProviders(db, groups.flatMap(({ inTree }) => inTree ?? [])); // prettier-ignore
  if (groups.some(({ inTree }) => inTree !== undefined && !trees.has(inTree))) return undefined;
  const resolved = groups.map((group) =>
    resolveGroup(
      group,
      { classes, traits, aggregates },
      group.inTree === undefined ? undefined : trees.get(group.inTree)!.rootId,
    ),
  );
  if (resolved.some(({ memberOf }) => memberOf.some((any) => !any.length))) return undefined;
  return {
    groups: resolved,
    limit,
    isolate,
    rootRequired: rootRequired.map((name) => traits.get(name)!),
    rootForbidden: rootForbidden.map((name) => traits.get(name)!),
    sameSubtree: sameSubtree.map((suffixes) => suffixes.map((suffix) => resolved.findIndex((group) => group.suffix === suffix))),
  };
}

/** Ids by name. */
interface Ids {
  readonly classes: ReadonlyMap<string, number>;
  readonly traits: ReadonlyMap<string, number>;
  readonly aggregates: ReadonlyMap<string, number>;
}

function resolveGroup(group: RequestGroup, ids: Ids, treeRoot: number | undefined): ResolvedGroup {
  const { suffix, resources, traits, aggregates } = group;
  const existing = (uuids: readonly string[]): number[] => uuids.flatMap((uuid) => ids.aggregates.get(uuid) ?? []);
  return {
    suffix,
    resources: [...resources].map(([name, amount]) => ({ classId: ids.classes.get(name)!, amount })),
    requiredTraits: traits.required.map((any) => any.map((name) => ids.traits.get(name)!)),
    forbiddenTraits: traits.forbidden.map((name) => ids.traits.get(name)!),
    memberOf: aggregates.required.map(existing),
    notMemberOf: existing(aggregates.forbidden),
    treeRoot,
  };
}

async function traitIds(db: Db, all: readonly string[]): Promise<Map<string, number>> {
  const names = [...new Set(all)];
  const ids = await idsOf(db, traitTable, names);
  const unknown = names.filter((name) => !ids.has(name));
  if (unknown.length) throw badRequest(`No such trait(s): ${unknown.join(', ')}.`);
  return ids;
}
