// Allocations: the amounts of each provider's resources that consumers use.
import { integer, micros, named, text } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { batchesOf } from '../../../kernel/db/owned-rows.ts';
import { insertCompleted, Recurring } from '../../../kernel/db/drivers/recurring.ts';
import { Table } from '../../../kernel/db/table.ts';
import { deferred } from '../../../kernel/db/transaction.ts';
import type { Allocation, HeldAllocation, Holding, ListedAllocation } from '../model.ts';
import { consumerId } from './consumers.ts';

const recurring = new Recurring();

const tableName = 'placement_allocations';
const columns = {
  consumerId: integer,
  providerId: integer,
  classId: integer,
  used: integer,
  createdAt: micros,
};
const key = ['consumerId', 'providerId', 'classId'] as const;

const allocations = new Table<Allocation>(tableName, columns, { key });

const heldAllocations = new Table<HeldAllocation>(
  tableName,
  { ...columns, consumerGeneration: named('c.generation', integer) },
  { key },
);

const listedAllocations = new Table<ListedAllocation>(
  tableName,
  {
    ...columns,
    providerUuid: named('p.uuid', text),
    providerGeneration: named('p.generation', integer),
    consumerUuid: named('c.uuid', text),
    consumerGeneration: named('c.generation', integer),
  },
  {
    key,
    join: (query) =>
      void query
        .join('placement_providers as p', 'p.id', `${tableName}.provider_id`)
        .join('placement_consumers as c', 'c.id', `${tableName}.consumer_id`),
  },
);

const holdings = new Table<Holding>(tableName, {
  providerId: integer,
  classId: integer,
  used: integer,
  consumerUuid: text,
});

/** Lists the allocations of a consumer, or those from a provider. */
export const listAllocations = (
  db: Db,
  where: { consumerId: number } | { providerId: number },
): Promise<ListedAllocation[]> => listedAllocations.list(db, { where });

/** Lists the allocations of several consumers. */
export const allocationsOfConsumers = async (
  db: Db,
  consumerIds: readonly number[],
): Promise<Allocation[]> =>
  consumerIds.length ? allocations.list(db, { where: { consumerId: consumerIds } }) : [];

/** Lists the largest allocations of some classes from each of several providers. */
export async function largestAllocations(
  db: Db,
  { providerIds, classIds }: Record<'providerIds' | 'classIds', readonly number[]>,
  perInventory: number,
): Promise<Holding[]> {
  if (!providerIds.length) return [];
  const ranked = db(tableName)
    .whereIn('provider_id', providerIds)
    .whereIn('class_id', classIds)
    .select('provider_id', 'class_id', 'used', 'consumer_id')
    .rowNumber('place', (over) => {
      void over.partitionBy(['provider_id', 'class_id']);
      void over.orderBy('used', 'desc').orderBy('consumer_id');
    });
  return holdings.read(
    db
      .from(ranked.as('r'))
      .join('placement_consumers as c', 'c.id', 'r.consumer_id')
      .where('place', '<=', perInventory)
      .orderBy(['provider_id', 'class_id', 'place'])
      .select('provider_id', 'class_id', 'used', 'c.uuid as consumer_uuid'),
  );
}

/** Lists the allocations of the consumer with this UUID: none if it does not exist. */
export const allocationsOfConsumer = (db: Db, uuid: string): Promise<HeldAllocation[]> =>
  heldAllocations.read(
    recurring.statement(db, 'allocations of a consumer', [uuid], ([wanted]) =>
      db(`${tableName} as a`)
        .join('placement_consumers as c', 'c.id', 'a.consumer_id')
        .where('c.uuid', wanted!)
        .orderBy(['a.provider_id', 'a.class_id'])
        .select('a.*', 'c.generation as consumer_generation'),
    ),
  );

/**
 * Deletes all allocations of several consumers. The transaction has bumped the generation of the
 * consumers or of their providers.
 */
export async function deleteAllocationsOf(db: Db, consumerIds: readonly number[]): Promise<void> {
  if (consumerIds.length) await deferred(allocations.remove(db, { consumerId: consumerIds }));
}

/** An allocation to insert, with the UUID of its consumer. */
export interface NewAllocation extends Omit<Allocation, 'consumerId'> {
  readonly consumer: string;
}

/** Inserts allocations. The transaction has changed the `used` of their inventories. */
export async function insertAllocations(db: Db, records: readonly NewAllocation[]): Promise<void> {
  for (const batch of batchesOf(records)) {
    const rows = batch.map(({ consumer, ...record }) => ({ ...allocations.row(record), consumer }));
    const write = insertCompleted(db, tableName, rows, 'by consumer', ({ consumer, ...row }) => ({
      ...row,
      consumer_id: consumerId(db, consumer!),
    }));
    await deferred(write);
  }
}

export const providerHasAllocations = (db: Db, providerId: number): Promise<boolean> =>
  allocations.exists(db, { providerId });

/** Finds which of these classes have allocations from a provider. @returns their ids, in order */
export async function classesInUse(
  db: Db,
  providerId: number,
  classIds: readonly number[],
): Promise<number[]> {
  if (!classIds.length) return [];
  const rows = await db(tableName)
    .where({ provider_id: providerId })
    .whereIn('class_id', classIds)
    .distinct('class_id')
    .orderBy('class_id')
    .pluck('class_id');
  return rows as number[];
}
