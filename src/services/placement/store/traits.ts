// The traits of providers. The store of names looks traits up by name and id.
import type { Db } from '../../../kernel/db/database.ts';
import { groupedValues } from '../../../kernel/db/grouping.ts';
import type { Named } from '../model.ts';
import { traitTable } from './names.ts';

/** Lists the trait ids of the provider with this UUID, in order. */
export async function traitIdsOf(db: Db, uuid: string): Promise<number[]> {
  return (await db('placement_provider_traits as l')
    .join('placement_providers as p', 'p.id', 'l.provider_id')
    .where('p.uuid', uuid)
    .orderBy('l.trait_id')
    .pluck('l.trait_id')) as number[];
}

/** Lists the traits of a provider in the order of their ids. */
export async function listProviderTraits(db: Db, providerId: number): Promise<Named[]> {
  const rows = db('placement_provider_traits as l')
    .join('placement_traits as t', 't.id', 'l.trait_id')
    .where('l.provider_id', providerId)
    .orderBy('t.id')
    .select('t.*');
  return traitTable.read(rows);
}

/** The trait ids of providers, by the id of the provider. */
export async function traitIdsOfProviders(
  db: Db,
  providerIds: readonly number[],
): Promise<Map<number, number[]>> {
  if (!providerIds.length) return new Map();
  const rows = (await db('placement_provider_traits')
    .whereIn('provider_id', providerIds)
    .select('provider_id', 'trait_id')) as { provider_id: number; trait_id: number }[];
  return groupedValues(
    rows,
    (row) => row.provider_id,
    (row) => row.trait_id,
  );
}
