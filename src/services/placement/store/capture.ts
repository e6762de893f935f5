// Writes of a capture, which replace what services derive from requests.
import type { Db } from '../../../kernel/db/database.ts';
import { allProvidersChange } from './trees-revision.ts';

/** Sets the generation of a provider. */
export async function setGeneration(db: Db, uuid: string, generation: number): Promise<void> {
  allProvidersChange(db);
  await db('placement_providers').where({ uuid }).update({ generation });
}

/** Sets the `used` of all inventories to the sum of their allocations. */
export async function sumUsed(db: Db): Promise<void> {
  allProvidersChange(db);
  const sum = db('placement_allocations as a')
    .whereRaw('a.provider_id = placement_inventories.provider_id')
    .whereRaw('a.class_id = placement_inventories.class_id')
    .select(db.raw('coalesce(sum(a.used), 0)'));
  await db('placement_inventories').update({ used: sum });
}
