// Inventories: the amount of each resource class that a provider has, and the sum of its
// allocations (`used`).
import type { Knex } from 'knex';
import type { Micros } from '../../../kernel/clock.ts';
import {
  integer,
  micros,
  nullable,
  real,
  referring,
  snakeCase,
  type Row,
} from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import type { SerializationFailure } from '../../../kernel/db/errors.ts';
import { grouped } from '../../../kernel/db/grouping.ts';
import { guarded } from '../../../kernel/db/guarded.ts';
import { insertRows, Recurring } from '../../../kernel/db/drivers/recurring.ts';
import { SharedReads } from '../../../kernel/db/shared-reads.ts';
import { Table } from '../../../kernel/db/table.ts';
import { deferred } from '../../../kernel/db/transaction.ts';
import type {
  ClassInventory,
  Inventory,
  InventoryFields,
  Provider,
  ProviderInventories,
} from '../model.ts';
import { allProvidersChange, providerChange } from './trees-revision.ts';

const recurring = new Recurring();

const tableName = 'placement_inventories';
const key = ['providerId', 'classId'] as const;

/** The columns of an inventory that allocations do not change. */
export const limitColumns = {
  classId: integer,
  total: integer,
  reserved: integer,
  min_unit: integer,
  max_unit: integer,
  step_size: integer,
  allocation_ratio: real,
};
const classColumns = { ...limitColumns, used: integer };

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

/** The total amount that can be allocated, which the allocation ratio can make a fraction. */
export const capacityOf = ({
  total,
  reserved,
  allocation_ratio,
}: Pick<InventoryFields, 'total' | 'reserved' | 'allocation_ratio'>): number =>
  (total - reserved) * allocation_ratio;

/** The condition that an amount is free in an inventory. */
export const hasRoom = 'used + ? <= (total - reserved) * allocation_ratio';

/** Maps rows that have the `classInventoryColumns`. */
export const { record: classInventoryOf } = new Table<ClassInventory>(tableName, classColumns);

/** The columns that a search for free resources reads. */
export const classInventoryColumns: readonly string[] = Object.keys(classColumns).map(snakeCase);

/** Lists the inventories of a provider in the order of their classes' ids. */
export const listInventories = (db: Db, providerId: number): Promise<Inventory[]> =>
  inventories.list(db, { where: { providerId } });

/** A provider with one of its inventories, or with none. */
interface ProviderRow extends Row {
  readonly uuid: string;
  readonly generation: number;
  readonly class_id: number | null;
  readonly class_name: string;
}

const sharedInventories = new SharedReads(async (db, uuids: readonly string[]) => {
  const name = `inventories of ${uuids.length} providers`;
  const rows = await recurring.statement<ProviderRow[]>(db, name, uuids, (wanted) =>
    db('placement_providers as p')
      .leftJoin('placement_inventories as i', 'i.provider_id', 'p.id')
      .leftJoin('placement_resource_classes as c', 'c.id', 'i.class_id')
      .whereIn('p.uuid', wanted)
      .orderBy('i.class_id')
      .select('p.uuid', 'p.generation', 'c.name as class_name', 'i.*'),
  );
  return new Map(
    [...grouped(rows, ({ uuid }) => uuid)].map(([uuid, own]) => [uuid, inventoriesIn(own)]),
  );
});

function inventoriesIn(rows: readonly ProviderRow[]): ProviderInventories {
  const existing = rows.filter(({ class_id: id }) => id !== null);
  return {
    generation: rows[0]!.generation,
    inventories: existing.map(inventories.record),
    names: new Map(existing.map((row) => [row.class_id!, row.class_name])),
  };
}

/**
 * Finds a provider's generation, its inventories and the names of their classes. A single statement
 * reads all of it, so that it is consistent without a transaction.
 */
export const findProviderInventories = (
  db: Db,
  uuid: string,
): Promise<ProviderInventories | undefined> => sharedInventories.find(db, uuid);

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
  providerChange(db, provider.id);
  const { id, rootId } = provider;
  const common = { providerId: id, rootId, used: 0, createdAt: now, updatedAt: null };
  const rows = [...byClass].map(([classId, fields]) =>
    inventories.row({ ...common, classId, ...fields }),
  );
  await deferred(insertRows(db, tableName, rows));
}

/** An inventory to insert. */
export interface NewInventory {
  readonly provider: Provider;
  readonly classId: number;
  readonly fields: InventoryFields;
}

/** Inserts the inventories of providers that this transaction has created. */
export async function insertInventoriesOfMany(
  db: Db,
  all: readonly NewInventory[],
  now: Micros,
): Promise<void> {
  allProvidersChange(db);
  await inventories.insertAll(
    db,
    all.map(({ provider: { id, rootId }, classId, fields }) => ({
      providerId: id,
      rootId,
      classId,
      ...fields,
      used: 0,
      createdAt: now,
      updatedAt: null,
    })),
  );
}

/** Updates the fields of an inventory; `used` does not change. */
export async function updateInventory(
  db: Db,
  providerId: number,
  classId: number,
  fields: InventoryFields,
  now: Micros,
): Promise<void> {
  providerChange(db, providerId);
  await deferred(inventories.update(db, { providerId, classId }, { ...fields, updatedAt: now }));
}

/** @throws the driver's foreign key error if one of the inventories has allocations */
export async function deleteInventories(
  db: Db,
  providerId: number,
  classIds: readonly number[],
): Promise<void> {
  if (!classIds.length) return;
  providerChange(db, providerId);
  await inventories.remove(db, { providerId, classId: classIds });
}

/** A change of the `used` of an inventory. */
export interface UsedChange {
  readonly classId: number;
  /** The amount to add; a negative one is subtracted. */
  readonly amount: number;
  /** The inventory as it was read, if allocations from it are written. */
  readonly allocatedFrom?: InventoryFields;
}

/**
 * Changes the `used` of inventories of several providers alike, in one statement. If allocations
 * are written, the statement checks that the inventories exist, that they still allow the same
 * amounts, and that an amount to add is free, because other transactions may have changed them
 * since they were read.
 * @throws `failure` if the allocations are no longer possible, as `guarded`
 */
export async function changeUsed(
  db: Db,
  providerIds: readonly number[],
  changes: readonly UsedChange[],
  failure: () => SerializationFailure,
): Promise<void> {
  if (!changes.length) return;
  const { length } = providerIds;
  const name = `change used of ${length}: ${changes.map(limitsOf).join(', ')}`;
  const values = [...providerIds, ...changes.flatMap(valuesOf)];
  const write = recurring.statement<number>(db, name, values, (given) => {
    const [ids, rest] = [given.slice(0, length), given.slice(length)];
    const own = changes.map((change) => rest.splice(0, valuesOf(change).length));
    const cases = changes.map(() => 'WHEN ? THEN ?').join(' ');
    const bindings = own.flatMap(([classId, amount]) => [classId!, amount!]);
    return db(tableName)
      .whereIn('provider_id', ids)
      .where((any) => {
        for (const [index, change] of changes.entries())
          void any.orWhere((one) => limitTo(one, limitsOf(change), own[index]!));
      })
      .update({ used: db.raw(`used + CASE class_id ${cases} END`, bindings) });
  });
  const allocates = changes.some(({ allocatedFrom }) => allocatedFrom);
  await (allocates ? guarded(write, failure, length * changes.length) : deferred(write));
}

/** What a change needs of its inventory: nothing, the same limits, or also room. */
type Limits = 'no limits' | 'limits' | 'limits and room';

function limitsOf({ amount, allocatedFrom }: UsedChange): Limits {
  if (!allocatedFrom) return 'no limits';
  return amount > 0 ? 'limits and room' : 'limits';
}

function valuesOf({ classId, amount, allocatedFrom }: UsedChange): number[] {
  if (!allocatedFrom) return [classId, amount];
  const { min_unit, max_unit, step_size } = allocatedFrom;
  return [classId, amount, min_unit, max_unit, step_size];
}

/** Limits a write to the inventory of a change, and to one that allows the change. */
function limitTo(query: Knex.QueryBuilder, limits: Limits, values: readonly string[]): void {
  const [classId, amount, min_unit, max_unit, step_size] = values;
  void query.where({ class_id: classId });
  if (limits === 'no limits') return;
  void query.where({ min_unit, max_unit, step_size });
  if (limits === 'limits and room') void query.whereRaw(hasRoom, [amount!]);
}
