// Allocations: the amounts that consumers use of providers.
import type { Micros } from '../../../kernel/clock.ts';
import type { Allocation, ListedAllocation } from '../model.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { deferred } from '../../../kernel/db/transaction.ts';

interface Row {
  consumer_id: number;
  provider_id: number;
  class_id: number;
  used: number;
  created_at: number;
  provider_uuid: string;
  provider_generation: number;
  consumer_uuid: string;
  consumer_generation: number;
}

/** The allocations of a consumer, or on a provider. */
export async function listAllocations(
  db: Db,
  of: { consumerId: number } | { providerId: number },
): Promise<ListedAllocation[]> {
  const [column, id] =
    'consumerId' in of ? ['a.consumer_id', of.consumerId] : ['a.provider_id', of.providerId];
  const rows = (await db('placement_allocations as a')
    .join('placement_providers as p', 'p.id', 'a.provider_id')
    .join('placement_consumers as c', 'c.id', 'a.consumer_id')
    .where(column, id)
    .orderBy(['a.consumer_id', 'a.provider_id', 'a.class_id'])
    .select(
      'a.*',
      'p.uuid as provider_uuid',
      'p.generation as provider_generation',
      'c.uuid as consumer_uuid',
      'c.generation as consumer_generation',
    )) as Row[];
  return rows.map((row) => ({
    consumerId: row.consumer_id,
    providerId: row.provider_id,
    classId: row.class_id,
    used: row.used,
    createdAt: Number(row.created_at),
    providerUuid: row.provider_uuid,
    providerGeneration: row.provider_generation,
    consumerUuid: row.consumer_uuid,
    consumerGeneration: row.consumer_generation,
  }));
}

type AmountRow = Pick<Row, 'consumer_id' | 'provider_id' | 'class_id' | 'used'>;

const amountOf = (row: AmountRow): Allocation => ({
  consumerId: row.consumer_id,
  providerId: row.provider_id,
  classId: row.class_id,
  used: row.used,
});

/** The allocations of these consumers. */
export async function allocationsOfConsumers(
  db: Db,
  consumerIds: readonly number[],
): Promise<Allocation[]> {
  if (!consumerIds.length) return [];
  const rows = await db('placement_allocations')
    .whereIn('consumer_id', consumerIds)
    .orderBy(['consumer_id', 'provider_id', 'class_id']);
  return (rows as AmountRow[]).map(amountOf);
}

/** The allocations of the consumer of that UUID. */
export async function allocationsOfConsumer(db: Db, uuid: string): Promise<Allocation[]> {
  const rows = await db('placement_allocations as a')
    .join('placement_consumers as c', 'c.id', 'a.consumer_id')
    .where('c.uuid', uuid)
    .orderBy(['a.provider_id', 'a.class_id'])
    .select('a.consumer_id', 'a.provider_id', 'a.class_id', 'a.used');
  return (rows as AmountRow[]).map(amountOf);
}

/** Deletes the allocations of these consumers, whose providers or themselves are claimed. */
export async function deleteAllocationsOf(db: Db, consumerIds: readonly number[]): Promise<void> {
  if (consumerIds.length)
    await deferred(db('placement_allocations').whereIn('consumer_id', consumerIds).delete());
}

/** Writes allocations of providers that are claimed. */
export async function insertAllocations(
  db: Db,
  allocations: readonly Allocation[],
  now: Micros,
): Promise<void> {
  const rows = allocations.map(({ consumerId, providerId, classId, used }) => ({
    consumer_id: consumerId,
    provider_id: providerId,
    class_id: classId,
    used,
    created_at: now,
  }));
  for (let at = 0; at < rows.length; at += 500)
    await deferred(db('placement_allocations').insert(rows.slice(at, at + 500)));
}

export async function providerHasAllocations(db: Db, providerId: number): Promise<boolean> {
  return (
    (await db('placement_allocations').where({ provider_id: providerId }).first('consumer_id')) !==
    undefined
  );
}
