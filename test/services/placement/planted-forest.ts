// Plants forests of providers into a database, directly through the stores.
import type { Db } from '../../../src/kernel/db/database.ts';
import { changeAllRevisions } from '../../../src/kernel/db/kept/revisions.ts';
import { replaceAllocations } from '../../../src/services/placement/domain/allocations.ts';
import { concurrentUpdate } from '../../../src/services/placement/domain/refusals.ts';
import { ensureAggregates } from '../../../src/services/placement/store/aggregates.ts';
import {
  insertInventories,
  updateInventory,
} from '../../../src/services/placement/store/inventories.ts';
import { replaceLinks } from '../../../src/services/placement/store/links.ts';
import { classTable, idsOf, traitTable } from '../../../src/services/placement/store/names.ts';
import {
  findProvider,
  insertProvider,
} from '../../../src/services/placement/store/resource-providers.ts';
import type { ReferenceInventory, ReferenceProvider } from './reference-search.ts';

/** Replaces the content of the database by a forest. */
export async function plant(
  db: Db,
  forest: readonly ReferenceProvider[],
  now: number,
): Promise<void> {
  changeAllRevisions(db);
  for (const table of [
    'allocations',
    'consumers',
    'inventories',
    'provider_traits',
    'provider_aggregates',
  ])
    await db(`placement_${table}`).delete();
  await db('placement_providers').update({ parent_id: null });
  await db('placement_providers').delete();
  for (const rp of forest) await plantOne(db, rp, now);
}

async function plantOne(
  db: Db,
  { uuid, parent, inventories, used, traits, aggregates }: ReferenceProvider,
  now: number,
): Promise<void> {
  await insertProvider(db, {
    uuid,
    name: uuid,
    parent: parent === null ? undefined : await findProvider(db, parent),
    now,
  });
  const provider = (await findProvider(db, uuid))!;
  const classIds = await idsOf(db, classTable, Object.keys(inventories));
  const roomy: ReferenceInventory = {
    total: 1000,
    reserved: 0,
    min_unit: 1,
    max_unit: 1000,
    step_size: 1,
    allocation_ratio: 1,
  };
  await insertInventories(
    db,
    provider,
    new Map([...classIds.values()].map((id) => [id, roomy])),
    now,
  );
  if (Object.keys(used).length) {
    const allocations = new Map([[uuid, used]]);
    const mine = {
      consumer: `c${uuid.slice(1)}`,
      generation: undefined,
      projectId: 'p',
      userId: 'u',
      type: undefined,
      allocations,
    };
    await replaceAllocations({ db, now }, [mine]);
  }
  for (const [name, fields] of Object.entries(inventories))
    await updateInventory(db, provider.id, classIds.get(name)!, fields, now);
  await replaceLinks(
    db,
    'trait',
    provider.id,
    [],
    [...(await idsOf(db, traitTable, traits)).values()],
  );
  await replaceLinks(
    db,
    'aggregate',
    provider.id,
    [],
    [...(await ensureAggregates(db, aggregates, now, () => concurrentUpdate(''))).values()],
  );
}
