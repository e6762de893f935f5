// A candidates request in ids: what the search works with.
import { badRequest } from '../../../../kernel/fault.ts';
import { findAggregates } from '../../store/links.ts';
import { classTable, idsOf, traitTable } from '../../store/names.ts';
import { findProviders } from '../../store/resource-providers.ts';
import type { Asked, AskedGroup } from './request.ts';
import type { Db } from '../../../../kernel/db/database.ts';

export interface Demand {
  readonly classId: number;
  readonly amount: number;
}

export interface Group {
  readonly suffix: string;
  readonly demands: readonly Demand[];
  readonly required: readonly (readonly number[])[];
  readonly forbidden: readonly number[];
  readonly memberOf: readonly (readonly number[])[];
  readonly notMemberOf: readonly number[];
  /** The root of the tree that is asked for. */
  readonly inTree: number | undefined;
}

export interface Plan {
  readonly groups: readonly Group[];
  readonly limit: number | undefined;
  readonly isolate: boolean;
  readonly rootRequired: readonly number[];
  readonly rootForbidden: readonly number[];
  /** Sets of indexes into `groups`. */
  readonly subtrees: readonly (readonly number[])[];
}

/**
 * Resolves the names of a request.
 * @returns undefined where a tree or an aggregate is asked for that there is not, so that nothing can match
 * @throws 400 for unknown classes and traits
 */
export async function planOf(db: Db, asked: Asked): Promise<Plan | undefined> {
  const { groups, root } = asked;
  const classes = await idsOf(db, classTable, groups.flatMap(({ resources }) => [...resources.keys()])); // prettier-ignore
  const unknownClass = groups.flatMap(({ resources }) => [...resources.keys()]).find((name) => !classes.has(name));
  if (unknownClass !== undefined)
    throw badRequest(`Invalid resource class in resources parameter: No such resource class ${unknownClass}.`);
  const traits = await traitIds(db, [...groups.map((group) => group.traits), root]);
  const aggregates = await findAggregates(db, groups.flatMap((group) => [...group.aggregates.required.flat(), ...group.aggregates.forbidden])); // prettier-ignore
  const trees = await findProviders(db, groups.flatMap(({ inTree }) => inTree ?? [])); // prettier-ignore
  if (groups.some(({ inTree }) => inTree !== undefined && !trees.has(inTree))) return undefined;
  const planned = groups.map((group) =>
    plannedGroup(
      group,
      { classes, traits, aggregates },
      group.inTree === undefined ? undefined : trees.get(group.inTree)!.rootId,
    ),
  );
  if (planned.some(({ memberOf }) => memberOf.some((any) => !any.length))) return undefined;
  return {
    groups: planned,
    limit: asked.limit,
    isolate: asked.isolate,
    rootRequired: root.required.flat().map((name) => traits.get(name)!),
    rootForbidden: root.forbidden.map((name) => traits.get(name)!),
    subtrees: asked.sameSubtree.map((suffixes) =>
      suffixes.map((suffix) => planned.findIndex((group) => group.suffix === suffix)),
    ),
  };
}

interface Ids {
  readonly classes: ReadonlyMap<string, number>;
  readonly traits: ReadonlyMap<string, number>;
  readonly aggregates: ReadonlyMap<string, number>;
}

function plannedGroup({ suffix, resources, traits, aggregates }: AskedGroup, ids: Ids, inTree: number | undefined): Group {
  const known = (uuids: readonly string[]): number[] => uuids.flatMap((uuid) => ids.aggregates.get(uuid) ?? []);
  return {
    suffix,
    demands: [...resources].map(([name, amount]) => ({ classId: ids.classes.get(name)!, amount })),
    required: traits.required.map((any) => any.map((name) => ids.traits.get(name)!)),
    forbidden: traits.forbidden.map((name) => ids.traits.get(name)!),
    memberOf: aggregates.required.map(known),
    notMemberOf: known(aggregates.forbidden),
    inTree,
  };
}

async function traitIds(db: Db, demands: readonly AskedGroup['traits'][]): Promise<Map<string, number>> {
  const names = [...new Set(demands.flatMap(({ required, forbidden }) => [...required.flat(), ...forbidden]))];
  const ids = await idsOf(db, traitTable, names);
  const unknown = names.filter((name) => !ids.has(name));
  if (unknown.length) throw badRequest(`No such trait(s): ${unknown.join(', ')}.`);
  return ids;
}
