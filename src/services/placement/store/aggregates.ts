// Aggregates, and the aggregates of each provider.
import { integer, micros, text } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { retryOnConstraint } from '../../../kernel/db/errors.ts';
import { Table } from '../../../kernel/db/table.ts';
import type { Micros } from '../../../kernel/clock.ts';
import type { ApiError } from '../../../kernel/errors.ts';
import type { Aggregate } from '../model.ts';

const aggregates = new Table<Aggregate, 'id'>(
  'placement_aggregates',
  { id: integer, name: text, createdAt: micros },
  { generated: 'id' },
);

/** Lists the aggregates of a provider in the order of their ids. */
export async function listProviderAggregates(db: Db, providerId: number): Promise<Aggregate[]> {
  const rows = db('placement_provider_aggregates as l')
    .join('placement_aggregates as a', 'a.id', 'l.aggregate_id')
    .where('l.provider_id', providerId)
    .orderBy('a.id')
    .select('a.*');
  return aggregates.read(rows);
}

/** The ids of the providers in an aggregate. */
export async function providersIn(db: Db, aggregateId: number): Promise<ReadonlySet<number>> {
  const links = db('placement_provider_aggregates').where({ aggregate_id: aggregateId });
  return new Set((await links.pluck('provider_id')) as number[]);
}

/** Finds the ids of aggregates by name. Aggregates that no provider was ever in have no id. */
export async function findAggregateIds(
  db: Db,
  names: readonly string[],
): Promise<Map<string, number>> {
  if (!names.length) return new Map();
  const found = await aggregates.list(db, { where: { name: names } });
  return new Map(found.map(({ id, name }) => [name, id]));
}

/** The names of aggregates by id. */
export async function aggregateNames(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  if (!ids.length) return new Map();
  const found = await aggregates.list(db, { where: { id: ids } });
  return new Map(found.map(({ id, name }) => [id, name]));
}

/**
 * Finds the ids of aggregates by name, and creates the aggregates that do not exist.
 * @throws SerializationFailure with `refusal` if another transaction creates one of them
 */
export async function ensureAggregates(
  db: Db,
  names: readonly string[],
  now: Micros,
  refusal: () => ApiError,
): Promise<Map<string, number>> {
  const ids = await findAggregateIds(db, names);
  for (const name of names.filter((name) => !ids.has(name))) {
    const [id] = await retryOnConstraint(aggregates.insert(db, { name, createdAt: now }), refusal);
    ids.set(name, id!);
  }
  return ids;
}
