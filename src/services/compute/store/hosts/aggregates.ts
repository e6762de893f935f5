// Aggregates: their hosts and metadata.
import type { Micros } from '../../../../kernel/clock.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { type Aggregate, zoneKey } from '../../model.ts';

interface Row {
  id: number;
  uuid: string;
  name: string;
  created_at: number;
  updated_at: number | null;
}

async function complete(db: Db, rows: readonly Row[]): Promise<Aggregate[]> {
  if (!rows.length) return [];
  const ids = rows.map(({ id }) => id);
  const hosts = (await db('compute_aggregate_hosts')
    .whereIn('aggregate_id', ids)
    .orderBy(['aggregate_id', 'host'])) as {
    aggregate_id: number;
    host: string;
  }[];
  const metadata = (await db('compute_aggregate_metadata')
    .whereIn('aggregate_id', ids)
    .orderBy(['aggregate_id', 'name'])) as {
    aggregate_id: number;
    name: string;
    value: string;
  }[];
  return rows.map((row) => ({
    id: row.id,
    uuid: row.uuid,
    name: row.name,
    hosts: hosts.filter((one) => one.aggregate_id === row.id).map(({ host }) => host),
    metadata: Object.fromEntries(
      metadata.filter((one) => one.aggregate_id === row.id).map(({ name, value }) => [name, value]),
    ),
    createdAt: Number(row.created_at),
    updatedAt: row.updated_at === null ? null : Number(row.updated_at),
  }));
}

export async function listAggregates(db: Db): Promise<Aggregate[]> {
  return complete(db, (await db('compute_aggregates').orderBy('id')) as Row[]);
}

/** The aggregates that a host is in. */
export async function aggregatesOfHost(db: Db, host: string): Promise<Aggregate[]> {
  const ids = db('compute_aggregate_hosts').where({ host }).select('aggregate_id');
  return complete(db, (await db('compute_aggregates').whereIn('id', ids).orderBy('id')) as Row[]);
}

export async function findAggregate(
  db: Db,
  key: { id: number } | { name: string },
): Promise<Aggregate | undefined> {
  const row = (await db('compute_aggregates').where(key).first()) as Row | undefined;
  return row && (await complete(db, [row]))[0];
}

/** @throws the driver's duplicate error for the name */
export async function insertAggregate(
  db: Db,
  { uuid, name }: Pick<Aggregate, 'uuid' | 'name'>,
  now: Micros,
): Promise<number> {
  const [id] = (await db('compute_aggregates').insert({
    uuid,
    name,
    created_at: now,
    updated_at: null,
  })) as number[];
  return id!;
}

/**
 * Updates `updated_at` of an aggregate, and its name where one is given.
 * @throws the driver's duplicate error for the name
 */
export async function touchAggregate(
  db: Db,
  id: number,
  now: Micros,
  name?: string,
): Promise<void> {
  await db('compute_aggregates')
    .where({ id })
    .update({ updated_at: now, ...(name === undefined ? {} : { name }) });
}

export async function deleteAggregate(db: Db, id: number): Promise<void> {
  await db('compute_aggregate_metadata').where({ aggregate_id: id }).delete();
  await db('compute_aggregates').where({ id }).delete();
}

/** Updates items of metadata; null removes one, and the others stay. */
export async function putMetadata(
  db: Db,
  id: number,
  items: Readonly<Record<string, string | null>>,
): Promise<void> {
  const gone = Object.keys(items).filter((name) => items[name] === null);
  const rows = Object.entries(items).flatMap(([name, value]) =>
    value === null ? [] : [{ aggregate_id: id, name, value }],
  );
  if (gone.length)
    await db('compute_aggregate_metadata')
      .where({ aggregate_id: id })
      .whereIn('name', gone)
      .delete();
  if (rows.length)
    await db('compute_aggregate_metadata')
      .insert(rows)
      .onConflict(['aggregate_id', 'name'])
      .merge(['value']);
}

/** @throws the driver's duplicate error where it is in it already */
export async function insertAggregateHost(db: Db, id: number, host: string): Promise<void> {
  await db('compute_aggregate_hosts').insert({ aggregate_id: id, host });
}

export async function deleteAggregateHost(db: Db, id: number, host: string): Promise<void> {
  await db('compute_aggregate_hosts').where({ aggregate_id: id, host }).delete();
}

/** The zones of aggregates, by host. */
export async function zonesByHost(db: Db): Promise<Map<string, string>> {
  const rows = (await db('compute_aggregate_hosts as h')
    .join('compute_aggregate_metadata as m', 'm.aggregate_id', 'h.aggregate_id')
    .where('m.name', zoneKey)
    .orderBy(['h.host', 'h.aggregate_id'])
    .select('h.host', 'm.value')) as { host: string; value: string }[];
  return new Map(rows.toReversed().map(({ host, value }) => [host, value]));
}
