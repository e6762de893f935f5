// Aggregates, and which of them a provider is in.
import type { Micros } from '../../../kernel/clock.ts';
import { SerializationFailure, isDuplicate } from '../../../kernel/db/errors.ts';
import type { ApiError } from '../../../kernel/errors.ts';
import type { Aggregate } from '../model.ts';
import type { Db } from '../../../kernel/db/database.ts';

/** The aggregates of a provider, in the order of their ids. */
export async function aggregatesOf(db: Db, providerId: number): Promise<Aggregate[]> {
  const rows = await db('placement_provider_aggregates as l')
    .join('placement_aggregates as a', 'a.id', 'l.aggregate_id')
    .where('l.provider_id', providerId)
    .orderBy('a.id')
    .select('a.id', 'a.name');
  return rows as Aggregate[];
}

/** The ids of those aggregates that any provider was ever in, by name. */
export async function findAggregates(
  db: Db,
  names: readonly string[],
): Promise<Map<string, number>> {
  if (!names.length) return new Map();
  const rows = (await db('placement_aggregates')
    .whereIn('name', names)
    .orderBy('id')
    .select('id', 'name')) as Aggregate[];
  return new Map(rows.map((row) => [row.name, row.id]));
}

/**
 * The ids of aggregates by name. An aggregate is created when it is first named.
 * @throws Contention where another request has just created it
 */
export async function ensureAggregates(
  db: Db,
  names: readonly string[],
  now: Micros,
  refusal: ApiError,
): Promise<Map<string, number>> {
  const ids = await findAggregates(db, names);
  for (const name of names.filter((one) => !ids.has(one))) {
    try {
      const [id] = (await db('placement_aggregates').insert({ name, created_at: now })) as number[];
      ids.set(name, id!);
    } catch (error) {
      throw isDuplicate(error) ? new SerializationFailure(refusal) : error;
    }
  }
  return ids;
}
