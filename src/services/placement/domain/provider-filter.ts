// Translates the query of GET /resource_providers into the ids that the store filters by.
import { badRequest } from '../../../kernel/errors.ts';
import type { Version } from '../../../kernel/microversion.ts';
import type { Query } from '../../../kernel/query.ts';
import { findAggregateIds } from '../store/aggregates.ts';
import { classTable, idsOf, traitTable } from '../store/names.ts';
import {
  findProvider,
  type ProviderFilter,
  type ResourceFilter,
} from '../store/resource-providers.ts';
import type { PlacementVersion } from '../versions.ts';
import { parseInTree, parseMemberOf, parseResources, parseTraits } from './query-grammar.ts';
import type { Db } from '../../../kernel/db/database.ts';

/** @returns undefined if no provider can match, because the tree does not exist @throws 400 */
export async function providerFilter(
  db: Db,
  query: Query,
  version: Version<PlacementVersion>,
): Promise<ProviderFilter | undefined> {
  const name = query.last('name');
  const uuid = query.last('uuid');
  const resources = query.has('resources') ? parseResources(query.last('resources')!) : undefined;
  const traits = parseTraits(query.all('required'), version);
  const aggregates = parseMemberOf(query.all('member_of'), version);
  const tree = query.has('in_tree')
    ? await findProvider(db, parseInTree(query.last('in_tree')!))
    : null;
  if (tree === undefined) return undefined;
  const aggregateIds = await findAggregateIds(db, [
    ...aggregates.required.flat(),
    ...aggregates.forbidden,
  ]);
  const traitIds = await idsOfTraits(db, [...traits.required.flat(), ...traits.forbidden]);
  const existing = (uuids: readonly string[]): number[] =>
    uuids.flatMap((aggregate) => aggregateIds.get(aggregate) ?? []);
  return {
    ...(name ? { name } : {}),
    ...(uuid === undefined ? {} : { uuid: uuid.toLowerCase() }),
    ...(tree ? { rootId: tree.rootId } : {}),
    ...(resources ? { resources: await resourceFilters(db, resources) } : {}),
    requiredTraits: traits.required.map((any) => any.map((trait) => traitIds.get(trait)!)),
    forbiddenTraits: traits.forbidden.map((trait) => traitIds.get(trait)!),
    aggregates: aggregates.required.map(existing),
    forbiddenAggregates: existing(aggregates.forbidden),
  };
}

async function resourceFilters(
  db: Db,
  resources: ReadonlyMap<string, number>,
): Promise<ResourceFilter[]> {
  const ids = await idsOf(db, classTable, resources.keys());
  const unknown = [...resources.keys()].find((name) => !ids.has(name));
  if (unknown !== undefined)
    throw badRequest(
      `Invalid resource class in resources parameter: No such resource class ${unknown}.`,
    );
  return [...resources].map(([name, amount]) => ({ classId: ids.get(name)!, amount }));
}

async function idsOfTraits(db: Db, names: readonly string[]): Promise<Map<string, number>> {
  const ids = await idsOf(db, traitTable, names);
  const unknown = [...new Set(names)].filter((name) => !ids.has(name));
  if (unknown.length)
    throw badRequest(
      `Invalid trait(s) in "required" parameter: No such trait(s): ${unknown.join(', ')}.`,
    );
  return ids;
}
