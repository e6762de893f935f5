// What hangs on a provider: traits and aggregates.
import type { Micros } from '../../../kernel/clock.ts';
import { Contention, isDuplicate } from '../../../kernel/db/errors.ts';
import { concurrentUpdate } from './resource-providers.ts';
import type { Db } from '../../../kernel/db/database.ts';

/** Ids of the traits of a provider, in order. */
export async function traitIdsOf(db: Db, providerId: number): Promise<number[]> {
  return (await db('placement_provider_traits')
    .where({ provider_id: providerId })
    .orderBy('trait_id')
    .pluck('trait_id')) as number[];
}

/** Names and times of the traits of a provider. */
export async function traitsOf(
  db: Db,
  providerId: number,
): Promise<{ name: string; createdAt: Micros; updatedAt: Micros | null }[]> {
  const rows = (await db('placement_provider_traits as l')
    .join('placement_traits as t', 't.id', 'l.trait_id')
    .where('l.provider_id', providerId)
    .orderBy('t.id')
    .select('t.name', 't.created_at', 't.updated_at')) as { name: string; created_at: number; updated_at: number | null }[];
  return rows.map((row) => ({ name: row.name, createdAt: Number(row.created_at), updatedAt: row.updated_at }));
}

/** Makes the set of links of a provider exactly this one, touching only what differs. */
export async function replaceLinks(
  db: Db,
  what: 'trait' | 'aggregate',
  providerId: number,
  before: readonly number[],
  after: readonly number[],
): Promise<void> {
  const table = `placement_provider_${what}s`;
  const gone = before.filter((id) => !after.includes(id));
  const fresh = [...new Set(after)].filter((id) => !before.includes(id));
  if (gone.length) await db(table).where({ provider_id: providerId }).whereIn(`${what}_id`, gone).delete();
  if (fresh.length) await db(table).insert(fresh.map((id) => ({ provider_id: providerId, [`${what}_id`]: id })));
}

/** The aggregates of a provider, as the client wrote them, in order of their ids. */
export async function aggregatesOf(db: Db, providerId: number): Promise<{ id: number; name: string }[]> {
  const rows = await db('placement_provider_aggregates as l')
    .join('placement_aggregates as a', 'a.id', 'l.aggregate_id')
    .where('l.provider_id', providerId)
    .orderBy('a.id')
    .select('a.id', 'a.name');
  return rows as { id: number; name: string }[];
}

/** The ids of those aggregates that any provider was ever in. */
export async function findAggregates(db: Db, names: readonly string[]): Promise<Map<string, number>> {
  if (!names.length) return new Map();
  const rows = (await db('placement_aggregates').whereIn('name', names).orderBy('id').select('id', 'name')) as {
    id: number;
    name: string;
  }[];
  return new Map(rows.map((row) => [row.name, row.id]));
}

/** The ids of aggregates, which come into being when they are first named. */
export async function ensureAggregates(db: Db, names: readonly string[], now: Micros): Promise<Map<string, number>> {
  const known = await findAggregates(db, names);
  for (const name of names.filter((one) => !known.has(one))) {
    try {
      const [id] = (await db('placement_aggregates').insert({ name, created_at: now })) as number[];
      known.set(name, id!);
    } catch (error) {
      throw isDuplicate(error)
        ? new Contention(concurrentUpdate('Another request made the same aggregate. Please retry.'))
        : error;
    }
  }
  return known;
}
