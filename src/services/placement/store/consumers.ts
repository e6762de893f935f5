// Consumers, and the types that requests give them. A consumer exists as long as it has
// allocations.
import type { Micros } from '../../../kernel/clock.ts';
import { SerializationFailure, isDuplicate } from '../../../kernel/db/errors.ts';
import type { ApiError } from '../../../kernel/errors.ts';
import type { Consumer, ConsumerFields } from '../model.ts';
import type { Db } from '../../../kernel/db/database.ts';

interface Row {
  id: number;
  uuid: string;
  project_id: string;
  user_id: string;
  type_id: number | null;
  type_name: string | null;
  generation: number;
}

const record = (row: Row): Consumer => ({
  id: row.id,
  uuid: row.uuid,
  projectId: row.project_id,
  userId: row.user_id,
  typeId: row.type_id,
  typeName: row.type_name,
  generation: row.generation,
});

/** The consumers of these UUIDs that exist, by UUID. */
export async function findConsumers(
  db: Db,
  uuids: readonly string[],
): Promise<Map<string, Consumer>> {
  if (!uuids.length) return new Map();
  const rows = (await db('placement_consumers as c')
    .leftJoin('placement_consumer_types as t', 't.id', 'c.type_id')
    .whereIn('c.uuid', uuids)
    .orderBy('c.id')
    .select('c.*', 't.name as type_name')) as Row[];
  return new Map(rows.map((row) => [row.uuid, record(row)]));
}

/**
 * Writes a consumer at its first generation.
 * @throws Contention where another request has just created it
 */
export async function insertConsumer(
  db: Db,
  uuid: string,
  fields: ConsumerFields,
  now: Micros,
  refusal: ApiError,
): Promise<number> {
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
    throw isDuplicate(error) ? new SerializationFailure(refusal) : error;
  }
}

/**
 * Writes what a request says of a consumer and increments its generation.
 * @throws Contention where another writer was faster
 */
export async function updateConsumer(
  db: Db,
  consumer: Consumer,
  fields: ConsumerFields,
  now: Micros,
  refusal: ApiError,
): Promise<void> {
  const { id, generation } = consumer;
  const { projectId, userId, typeId } = fields;
  const changed = await db('placement_consumers')
    .where({ id, generation })
    .update({
      project_id: projectId,
      user_id: userId,
      type_id: typeId,
      generation: generation + 1,
      updated_at: now,
    });
  if (!changed) throw new SerializationFailure(refusal);
}

/** Deletes a consumer without allocations. @throws Contention where another writer was faster */
export async function deleteConsumer(db: Db, consumer: Consumer, refusal: ApiError): Promise<void> {
  const { id, generation } = consumer;
  if (!(await db('placement_consumers').where({ id, generation }).delete()))
    throw new SerializationFailure(refusal);
}

/** The ids of those consumer types that exist, by name. */
export async function consumerTypesOf(
  db: Db,
  names: readonly string[],
): Promise<Map<string, number>> {
  if (!names.length) return new Map();
  const rows = (await db('placement_consumer_types')
    .whereIn('name', [...new Set(names)])
    .select('id', 'name')) as {
    id: number;
    name: string;
  }[];
  return new Map(rows.map(({ id, name }) => [name, id]));
}

/**
 * Creates a consumer type, when it is first named.
 * @throws Contention where another request has just created it
 */
export async function insertConsumerType(
  db: Db,
  name: string,
  now: Micros,
  refusal: ApiError,
): Promise<number> {
  try {
    const [id] = (await db('placement_consumer_types').insert({
      name,
      created_at: now,
    })) as number[];
    return id!;
  } catch (error) {
    throw isDuplicate(error) ? new SerializationFailure(refusal) : error;
  }
}
