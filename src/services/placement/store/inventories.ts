// Inventories: the amount of each resource class that a provider has, and the sum of its
// allocations (`used`).
import type { Micros } from '../../../kernel/clock.ts';
import {
  integer,
  micros,
  nullable,
  real,
  referring,
  snakeCase,
} from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { Table } from '../../../kernel/db/table.ts';
import { deferred } from '../../../kernel/db/transaction.ts';
import type {
  ClassInventory,
  Inventory,
  InventoryFields,
  Provider,
  ProviderInventories,
} from '../model.ts';

const tableName = 'placement_inventories';
const key = ['providerId', 'classId'] as const;
const classColumns = {
  classId: integer,
  total: integer,
  reserved: integer,
  min_unit: integer,
  max_unit: integer,
  step_size: integer,
  allocation_ratio: real,
  used: integer,
};

const inventories = new Table<Inventory>(
  tableName,
  {
    ...classColumns,
    providerId: integer,
    rootId: referring(integer, 'placement_providers.id'),
    createdAt: micros,
    updatedAt: nullable(micros),
  },
  { key },
);

/** Maps rows that have the `classInventoryColumns`. */
export const { record: classInventoryOf } = new Table<ClassInventory>(tableName, classColumns);

/** The columns that a search for free resources reads. */
export const classInventoryColumns: readonly string[] = Object.keys(classColumns).map(snakeCase);

/** Lists the inventories of a provider in the order of their classes' ids. */
export const listInventories = (db: Db, providerId: number): Promise<Inventory[]> =>
  inventories.list(db, { where: { providerId } });

/**
 * Finds a provider's generation, its inventories and the names of their classes. A single statement
 * reads all of it, so that it is consistent without a transaction.
 */
export async function findProviderInventories(
  db: Db,
  uuid: string,
): Promise<ProviderInventories | undefined> {
  const rows = (await db('placement_providers as p')
    .leftJoin('placement_inventories as i', 'i.provider_id', 'p.id')
    .leftJoin('placement_resource_classes as c', 'c.id', 'i.class_id')
    .where('p.uuid', uuid)
    .orderBy('i.class_id')
    .select('p.generation', 'c.name as class_name', 'i.*')) as {
    generation: number;
    class_id: number | null;
    class_name: string;
  }[];
  if (!rows.length) return undefined;
  const existing = rows.filter(({ class_id: id }) => id !== null);
  return {
    generation: rows[0]!.generation,
    inventories: existing.map(inventories.record),
    names: new Map(existing.map((row) => [row.class_id!, row.class_name])),
  };
}

/** Lists the inventories of several providers. */
export const inventoriesOfProviders = async (
  db: Db,
  providerIds: readonly number[],
): Promise<Inventory[]> =>
  providerIds.length ? inventories.list(db, { where: { providerId: providerIds } }) : [];

export const findInventory = (
  db: Db,
  providerId: number,
  classId: number,
): Promise<Inventory | undefined> => inventories.find(db, { providerId, classId });

/**
 * Inserts inventories of classes that the provider does not have yet. The transaction has bumped
 * the provider's generation.
 */
export async function insertInventories(
  db: Db,
  provider: Provider,
  byClass: ReadonlyMap<number, InventoryFields>,
  now: Micros,
): Promise<void> {
  if (!byClass.size) return;
  const { id, rootId } = provider;
  const common = { providerId: id, rootId, used: 0, createdAt: now, updatedAt: null };
  const rows = [...byClass].map(([classId, fields]) =>
    inventories.row({ ...common, classId, ...fields }),
  );
  await deferred(db(tableName).insert(rows));
}

/** Updates the fields of an inventory; `used` does not change. */
export async function updateInventory(
  db: Db,
  providerId: number,
  classId: number,
  fields: InventoryFields,
  now: Micros,
): Promise<void> {
  await deferred(inventories.update(db, { providerId, classId }, { ...fields, updatedAt: now }));
}

/** @throws the driver's foreign key error if one of the inventories has allocations */
export async function deleteInventories(
  db: Db,
  providerId: number,
  classIds: readonly number[],
): Promise<void> {
  if (classIds.length) await inventories.remove(db, { providerId, classId: classIds });
}

/**
 * Adds an amount to the `used` of each class of a provider; negative amounts are subtracted. Each
 * provider takes one statement.
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
    db(tableName)
      .where({ provider_id: providerId })
      .whereIn('class_id', classIds)
      .update({ used: db.raw(`used + CASE class_id ${cases} ELSE 0 END`, bindings) }),
  );
}
