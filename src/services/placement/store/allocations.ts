// Allocations and the consumers that have them.
import type { Micros } from '../../../kernel/clock.ts';
import { Contention, isDuplicate } from '../../../kernel/db/errors.ts';
import type { Fault } from '../../../kernel/fault.ts';
import type { Db } from '../../../kernel/db/database.ts';

export interface Consumer {
  readonly id: number;
  readonly uuid: string;
  readonly projectId: string;
  readonly userId: string;
  /** Null where no request has named a type. */
  readonly typeId: number | null;
  readonly typeName: string | null;
  readonly generation: number;
}

interface ConsumerRow {
  id: number;
  uuid: string;
  project_id: string;
  user_id: string;
  type_id: number | null;
  type_name: string | null;
  generation: number;
}

const consumerRecord = (row: ConsumerRow): Consumer => ({
  id: row.id,
  uuid: row.uuid,
  projectId: row.project_id,
  userId: row.user_id,
  typeId: row.type_id,
  typeName: row.type_name,
  generation: row.generation,
});

/** The consumers of these UUIDs that have allocations, by UUID. */
export async function findConsumers(db: Db, uuids: readonly string[]): Promise<Map<string, Consumer>> {
  if (!uuids.length) return new Map();
  const rows = (await db('placement_consumers as c')
    .leftJoin('placement_consumer_types as t', 't.id', 'c.type_id')
    .whereIn('c.uuid', uuids)
    .orderBy('c.id')
    .select('c.*', 't.name as type_name')) as ConsumerRow[];
  return new Map(rows.map((row) => [row.uuid, consumerRecord(row)]));
}

export interface ConsumerFields {
  readonly projectId: string;
  readonly userId: string;
  readonly typeId: number | null;
}

/** Writes a consumer at its first generation. @throws Contention where another request has just made it */
export async function insertConsumer(db: Db, uuid: string, fields: ConsumerFields, now: Micros, lost: Fault): Promise<number> {
  const { projectId, userId, typeId } = fields;
  try {
    const row = {
      uuid,
      project_id: projectId,
      user_id: userId,
      type_id: typeId,
      generation: 1,
      created_at: now,
      updated_at: null,
    };
    const [id] = (await db('placement_consumers').insert(row)) as number[];
    return id!;
  } catch (error) {
    throw isDuplicate(error) ? new Contention(lost) : error;
  }
}

/** Writes what a request says of a consumer and counts its generation up. @throws Contention where another writer was faster */
export async function updateConsumer(
  db: Db,
  consumer: Consumer,
  fields: ConsumerFields,
  now: Micros,
  lost: Fault,
): Promise<void> {
  const { id, generation } = consumer;
  const { projectId, userId, typeId } = fields;
  const changed = await db('placement_consumers')
    .where({ id, generation })
    .update({ project_id: projectId, user_id: userId, type_id: typeId, generation: generation + 1, updated_at: now });
  if (!changed) throw new Contention(lost);
}

/** Deletes a consumer that has no allocations left. @throws Contention where another writer was faster */
export async function deleteConsumer(db: Db, consumer: Consumer, lost: Fault): Promise<void> {
  const { id, generation } = consumer;
  if (!(await db('placement_consumers').where({ id, generation }).delete())) throw new Contention(lost);
}

/** The id of a consumer type, which comes into being when it is first named. */
export async function consumerTypeId(db: Db, name: string, now: Micros, lost: Fault): Promise<number> {
  const row = (await db('placement_consumer_types').where({ name }).first('id')) as { id: number } | undefined;
  if (row) return row.id;
  try {
    const [id] = (await db('placement_consumer_types').insert({ name, created_at: now })) as number[];
    return id!;
  } catch (error) {
    throw isDuplicate(error) ? new Contention(lost) : error;
  }
}

/** So much of a class of a provider, in use by a consumer. */
export interface Allocation {
  readonly consumerId: number;
  readonly providerId: number;
  readonly classId: number;
  readonly used: number;
}

/** An allocation as it is shown. */
export interface ShownAllocation extends Allocation {
  readonly providerUuid: string;
  readonly providerGeneration: number;
  readonly consumerUuid: string;
  readonly consumerGeneration: number;
  readonly createdAt: Micros;
}

interface ShownRow {
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
export async function listAllocations(db: Db, of: { consumerId: number } | { providerId: number }): Promise<ShownAllocation[]> {
  const [column, id] = 'consumerId' in of ? ['a.consumer_id', of.consumerId] : ['a.provider_id', of.providerId];
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
    )) as ShownRow[];
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

/** What these consumers use. */
export async function allocationsOf(db: Db, consumerIds: readonly number[]): Promise<Allocation[]> {
  if (!consumerIds.length) return [];
  const rows = await db('placement_allocations')
    .whereIn('consumer_id', consumerIds)
    .orderBy(['consumer_id', 'provider_id', 'class_id']);
  return (rows as ShownRow[]).map((row) => ({
    consumerId: row.consumer_id,
    providerId: row.provider_id,
    classId: row.class_id,
    used: row.used,
  }));
}

export async function deleteAllocations(db: Db, consumerIds: readonly number[]): Promise<void> {
  if (consumerIds.length) await db('placement_allocations').whereIn('consumer_id', consumerIds).delete();
}

export async function insertAllocations(db: Db, allocations: readonly Allocation[], now: Micros): Promise<void> {
  const rows = allocations.map(({ consumerId, providerId, classId, used }) => ({
    consumer_id: consumerId,
    provider_id: providerId,
    class_id: classId,
    used,
    created_at: now,
  }));
  for (let at = 0; at < rows.length; at += 500) await db('placement_allocations').insert(rows.slice(at, at + 500));
}

export async function providerHasAllocations(db: Db, providerId: number): Promise<boolean> {
  return (await db('placement_allocations').where({ provider_id: providerId }).first('consumer_id')) !== undefined;
}

/** One line of a usage report. */
export interface UsageRow {
  /** Null for consumers without a type. */
  readonly typeName: string | null;
  readonly classId: number;
  readonly used: number;
}

/** What a project (and a user of it) uses of each class, by type of consumer. */
export async function sumUsage(db: Db, projectId: string, userId: string | undefined): Promise<UsageRow[]> {
  const query = ofProject(db, projectId, userId)
    .join('placement_allocations as a', 'a.consumer_id', 'c.id')
    .groupBy('t.name', 'a.class_id')
    .orderBy(['t.name', 'a.class_id'])
    .select('t.name as type_name', 'a.class_id as class_id')
    .sum('a.used as used');
  const rows = (await query) as { type_name: string | null; class_id: number; used: number }[];
  return rows.map((row) => ({ typeName: row.type_name, classId: row.class_id, used: Number(row.used) }));
}

/** How many consumers of each type a project (and a user of it) has. */
export async function countConsumers(db: Db, projectId: string, userId: string | undefined): Promise<Map<string | null, number>> {
  const query = ofProject(db, projectId, userId)
    .groupBy('t.name')
    .orderBy('t.name')
    .select('t.name as type_name')
    .count('c.id as count');
  const rows = (await query) as unknown as { type_name: string | null; count: number }[];
  return new Map(rows.map((row) => [row.type_name, Number(row.count)]));
}

function ofProject(db: Db, projectId: string, userId: string | undefined): ReturnType<Db['queryBuilder']> {
  const query = db('placement_consumers as c')
    .leftJoin('placement_consumer_types as t', 't.id', 'c.type_id')
    .where('c.project_id', projectId);
  if (userId !== undefined) query.where('c.user_id', userId);
  return query as ReturnType<Db['queryBuilder']>;
}
