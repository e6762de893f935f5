// Consumers and consumer types. A consumer exists as long as it has allocations.
import type { Knex } from 'knex';
import type { Micros } from '../../../kernel/clock.ts';
import { integer, micros, named, nullable, text } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { SerializationFailure, retryOnConstraint } from '../../../kernel/db/errors.ts';
import { guarded } from '../../../kernel/db/guarded.ts';
import { Kept } from '../../../kernel/db/kept/kept.ts';
import { batchesOf, valuesWhere } from '../../../kernel/db/owned-rows.ts';
import { insertRows } from '../../../kernel/db/drivers/recurring.ts';
import { RevisionTable } from '../../../kernel/db/revision-table.ts';
import { Table } from '../../../kernel/db/table.ts';
import type { ApiError } from '../../../kernel/errors.ts';
import type { Consumer, ConsumerFields } from '../model.ts';
import { namesChange, namesRevision } from './names.ts';

const consumers = new RevisionTable<Consumer, 'id'>(
  'placement_consumers',
  {
    id: integer,
    uuid: text,
    projectId: text,
    userId: text,
    typeId: nullable(integer),
    typeName: named('t.name', nullable(text)),
    generation: integer,
    createdAt: micros,
    updatedAt: nullable(micros),
  },
  {
    generated: 'id',
    revision: 'generation',
    join: (query) =>
      void query.leftJoin('placement_consumer_types as t', 't.id', 'placement_consumers.type_id'),
  },
);

const types = new Table(
  'placement_consumer_types',
  { id: integer, name: text, createdAt: micros },
  { generated: 'id' },
);

/** The ids of all consumer types by name, which processes keep in memory. */
const keptTypes = new Kept(namesRevision, async (db) => idsByName(await types.list(db)));

const idsByName = (found: readonly { id: number; name: string }[]): Map<string, number> =>
  new Map(found.map(({ id, name }) => [name, id]));

/** Finds consumers by UUID. UUIDs without a consumer are left out. */
export async function findConsumers(
  db: Db,
  uuids: readonly string[],
): Promise<Map<string, Consumer>> {
  if (!uuids.length) return new Map();
  const found = await consumers.list(db, { where: { uuid: uuids } });
  return new Map(found.map((consumer) => [consumer.uuid, consumer]));
}

/** A consumer to insert. */
export interface NewConsumer extends ConsumerFields {
  readonly uuid: string;
}

/**
 * Inserts consumers with the generation 1. The same transaction can refer to them by `consumerId`.
 * @throws SerializationFailure with `refusal` if another transaction creates one of them, as
 *   `guarded`
 */
export async function insertConsumers(
  db: Db,
  created: readonly NewConsumer[],
  now: Micros,
  refusal: () => ApiError,
): Promise<void> {
  const common = { typeName: null, generation: 1, createdAt: now, updatedAt: null };
  const rows = created.map((fields) => consumers.row({ ...fields, ...common }));
  for (const batch of batchesOf(rows))
    await guarded(insertRows(db, consumers.name, batch), () => new SerializationFailure(refusal()));
}

/** Selects the id of the consumer with this UUID, within a statement that writes it. */
export const consumerId = (db: Db, uuid: string): Knex.QueryBuilder =>
  db(consumers.name).where({ uuid }).select('id');

/**
 * Updates a consumer's project, user and type, and increments its generation.
 * @throws SerializationFailure with `refusal` if another transaction has changed it
 */
export async function updateConsumer(
  db: Db,
  consumer: Consumer,
  fields: ConsumerFields,
  now: Micros,
  refusal: () => ApiError,
): Promise<void> {
  await consumers.updateAtRevision(db, consumer, { ...fields, updatedAt: now }, refusal);
}

/**
 * Deletes a consumer that has no allocations.
 * @throws SerializationFailure with `refusal` if another transaction has changed it
 */
export const deleteConsumer = (
  db: Db,
  { id, generation }: Pick<Consumer, 'id' | 'generation'>,
  refusal: () => ApiError,
): Promise<void> => consumers.removeAtRevision(db, { id, generation }, refusal);

/** Finds the ids of consumer types by name. Unknown names are left out. */
export const findConsumerTypeIds = async (
  db: Db,
  names: readonly string[],
): Promise<Map<string, number>> =>
  names.length
    ? idsByName(await types.list(db, { where: { name: [...new Set(names)] } }))
    : new Map<string, number>();

/**
 * The ids of all consumer types by name; undefined if the transaction cannot use what is in memory.
 */
export const keptConsumerTypeIds = async (
  db: Db,
): Promise<ReadonlyMap<string, number> | undefined> =>
  keptTypes.isUsable(db) ? keptTypes.read(db) : undefined;

/**
 * Inserts a consumer type.
 * @returns its id
 * @throws SerializationFailure with `refusal` if another transaction creates it
 */
export async function insertConsumerType(
  db: Db,
  name: string,
  now: Micros,
  refusal: () => ApiError,
): Promise<number> {
  namesChange(db);
  const [id] = await retryOnConstraint(types.insert(db, { name, createdAt: now }), refusal);
  return id!;
}

/** The UUIDs of the consumers of some projects. */
export const consumersOfProjects = (db: Db, projectIds: readonly string[]): Promise<string[]> =>
  valuesWhere(db, consumers.name, 'project_id', projectIds, 'uuid');
