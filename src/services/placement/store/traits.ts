// The traits of providers. The store of names looks traits up by name and id.
import type { Db } from '../../../kernel/db/database.ts';
import { Recurring } from '../../../kernel/db/drivers/recurring.ts';
import { groupedValues } from '../../../kernel/db/grouping.ts';
import { batchesOf } from '../../../kernel/db/owned-rows.ts';
import type { Named } from '../model.ts';
import { traitTable } from './names.ts';

const recurring = new Recurring();

/** Lists the trait ids of the provider with this UUID, in order. */
export async function traitIdsOf(db: Db, uuid: string): Promise<number[]> {
  const rows = await recurring.statement<{ trait_id: number }[]>(db, 'ids', [uuid], ([wanted]) =>
    db('placement_provider_traits as l')
      .join('placement_providers as p', 'p.id', 'l.provider_id')
      .where('p.uuid', wanted)
      .orderBy('l.trait_id')
      .select('l.trait_id'),
  );
  return rows.map((row) => row.trait_id);
}

/** Finds traits by name, in the order of their ids. Unknown names are left out. */
export async function findTraits(db: Db, names: readonly string[]): Promise<Named[]> {
  const found: Named[] = [];
  for (const batch of batchesOf([...new Set(names)])) {
    const rows = recurring.statement<object[]>(db, `${batch.length} names`, batch, (wanted) =>
      db(traitTable.name).whereIn('name', wanted),
    );
    found.push(...(await traitTable.read(rows)));
  }
  return found.sort((one, other) => one.id - other.id);
}

/** Lists the traits of a provider in the order of their ids. */
export async function listProviderTraits(db: Db, providerId: number): Promise<Named[]> {
  return traitTable.read(
    recurring.statement<object[]>(db, 'traits', [providerId], ([wanted]) =>
      db('placement_provider_traits as l')
        .join('placement_traits as t', 't.id', 'l.trait_id')
        .where('l.provider_id', wanted)
        .orderBy('t.id')
        .select('t.*'),
    ),
  );
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
