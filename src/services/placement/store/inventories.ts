// Inventories: the amount that a provider has of each resource class, and how much of it is
// allocated (`used`).
import type { Micros } from '../../../kernel/clock.ts';
import type {
  ClassInventory,
  Inventory,
  InventoryFields,
  Provider,
  ProviderStock,
} from '../model.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { deferred } from '../../../kernel/db/transaction.ts';

/** What an inventory is to those who look for room. */
export interface ClassInventoryRow extends InventoryFields {
  class_id: number;
  used: number;
}

export const classInventoryColumns: readonly (keyof ClassInventoryRow)[] = [
  'class_id',
  'total',
  'reserved',
  'min_unit',
  'max_unit',
  'step_size',
  'allocation_ratio',
  'used',
];

export const classInventoryOf = (row: ClassInventoryRow): ClassInventory => ({
  classId: row.class_id,
  total: row.total,
  reserved: row.reserved,
  min_unit: row.min_unit,
  max_unit: row.max_unit,
  step_size: row.step_size,
  allocation_ratio: row.allocation_ratio,
  used: Number(row.used),
});

interface Row extends ClassInventoryRow {
  provider_id: number;
  created_at: number;
  updated_at: number | null;
}

const record = (row: Row): Inventory => ({
  ...classInventoryOf(row),
  providerId: row.provider_id,
  createdAt: Number(row.created_at),
  updatedAt: row.updated_at === null ? null : Number(row.updated_at),
});

/** The inventories of a provider, by class. */
export async function listInventories(db: Db, providerId: number): Promise<Inventory[]> {
  return (
    (await db('placement_inventories')
      .where({ provider_id: providerId })
      .orderBy('class_id')) as Row[]
  ).map(record);
}

/**
 * What the provider of that UUID has, read by one statement: what is read together agrees without a
 * transaction.
 */
export async function findStock(db: Db, uuid: string): Promise<ProviderStock | undefined> {
  const rows = (await db('placement_providers as p')
    .leftJoin('placement_inventories as i', 'i.provider_id', 'p.id')
    .leftJoin('placement_resource_classes as c', 'c.id', 'i.class_id')
    .where('p.uuid', uuid)
    .orderBy('i.class_id')
    .select('p.generation', 'c.name as class_name', 'i.*')) as (Row & {
    generation: number;
    class_name: string;
    class_id: number | null;
  })[];
  if (!rows.length) return undefined;
  const held = rows.filter(({ class_id: id }) => id !== null);
  return {
    generation: rows[0]!.generation,
    inventories: held.map(record),
    names: new Map(held.map((row) => [row.class_id, row.class_name])),
  };
}

/** The inventories of these providers. */
export async function inventoriesOfProviders(
  db: Db,
  providerIds: readonly number[],
): Promise<Inventory[]> {
  if (!providerIds.length) return [];
  const rows = await db('placement_inventories')
    .whereIn('provider_id', providerIds)
    .orderBy(['provider_id', 'class_id']);
  return (rows as Row[]).map(record);
}

export async function findInventory(
  db: Db,
  providerId: number,
  classId: number,
): Promise<Inventory | undefined> {
  const row = (await db('placement_inventories')
    .where({ provider_id: providerId, class_id: classId })
    .first()) as Row | undefined;
  return row && record(row);
}

/** Writes inventories of classes of which the provider, which is claimed, has none. */
export async function insertInventories(
  db: Db,
  provider: Provider,
  inventories: ReadonlyMap<number, InventoryFields>,
  now: Micros,
): Promise<void> {
  if (!inventories.size) return;
  const { id, rootId } = provider;
  const own = { provider_id: id, root_id: rootId, used: 0, created_at: now, updated_at: null };
  const rows = [...inventories].map(([classId, fields]) => ({
    ...own,
    class_id: classId,
    ...fields,
  }));
  await deferred(db('placement_inventories').insert(rows));
}

/** Writes an inventory's fields; `used` stays. */
export async function updateInventory(
  db: Db,
  providerId: number,
  classId: number,
  fields: InventoryFields,
  now: Micros,
): Promise<void> {
  const own = db('placement_inventories').where({ provider_id: providerId, class_id: classId });
  await deferred(own.update({ ...fields, updated_at: now }));
}

/** @throws the driver's foreign key error where an inventory has allocations */
export async function deleteInventories(
  db: Db,
  providerId: number,
  classIds: readonly number[],
): Promise<void> {
  if (classIds.length)
    await db('placement_inventories')
      .where({ provider_id: providerId })
      .whereIn('class_id', classIds)
      .delete();
}

/** The ids of those classes that the provider has allocations of, in order. */
export async function classesInUse(
  db: Db,
  providerId: number,
  classIds: readonly number[],
): Promise<number[]> {
  if (!classIds.length) return [];
  const rows = await db('placement_allocations')
    .where({ provider_id: providerId })
    .whereIn('class_id', classIds)
    .distinct('class_id')
    .orderBy('class_id')
    .pluck('class_id');
  return rows as number[];
}

/**
 * Adds amounts to `used` by class; negative amounts are subtracted. One statement for each
 * provider.
 */
export async function addUsed(
  db: Db,
  providerId: number,
  byClass: ReadonlyMap<number, number>,
): Promise<void> {
  const changes = [...byClass].filter(([, amount]) => amount !== 0);
  if (!changes.length) return;
  const cases = changes.map(() => 'WHEN ? THEN ?').join(' ');
  const bindings = changes.flat();
  const classIds = changes.map(([classId]) => classId);
  await deferred(
    db('placement_inventories')
      .where({ provider_id: providerId })
      .whereIn('class_id', classIds)
      .update({ used: db.raw(`used + CASE class_id ${cases} ELSE 0 END`, bindings) }),
  );
}
