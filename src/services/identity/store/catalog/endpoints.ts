// The table of endpoints.
import type { Endpoint } from '../../model.ts';
import { objectFrom, toJson } from '../columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';

interface Row {
  id: string;
  service_id: string;
  interface: string;
  region_id: string | null;
  url: string;
  enabled: number;
  extra: string;
}

const table = (db: Db) => db<Row>('identity_endpoints');

const recordOf = (row: Row): Endpoint => ({
  id: row.id,
  serviceId: row.service_id,
  interface: row.interface,
  regionId: row.region_id,
  url: row.url,
  enabled: Boolean(row.enabled),
  extra: objectFrom(row.extra),
});
const rowOf = (endpoint: Endpoint): Row => ({
  id: endpoint.id,
  service_id: endpoint.serviceId,
  interface: endpoint.interface,
  region_id: endpoint.regionId,
  url: endpoint.url,
  enabled: Number(endpoint.enabled),
  extra: toJson(endpoint.extra),
});

export async function insertEndpoint(db: Db, endpoint: Endpoint): Promise<void> {
  await table(db).insert(rowOf(endpoint));
}

/**
 * How many rows go into one statement: SQLite takes 500 terms, and a cloud of many regions has more
 * endpoints.
 */
const mostRows = 200;

/** Inserts those that are not stored yet. */
export async function ensureEndpoints(db: Db, all: readonly Endpoint[]): Promise<void> {
  for (let at = 0; at < all.length; at += mostRows)
    await table(db)
      .insert(all.slice(at, at + mostRows).map(rowOf))
      .onConflict('id')
      .ignore();
}

export async function updateEndpoint(db: Db, endpoint: Endpoint): Promise<void> {
  await table(db).where({ id: endpoint.id }).update(rowOf(endpoint));
}

export async function deleteEndpoint(db: Db, id: string): Promise<void> {
  await table(db).where({ id }).delete();
}

export async function findEndpoint(db: Db, id: string): Promise<Endpoint | undefined> {
  const row = await table(db).where({ id }).first();
  return row && recordOf(row);
}

export async function listEndpoints(db: Db): Promise<Endpoint[]> {
  return (await table(db).orderBy(['service_id', 'region_id', 'interface', 'id'])).map((row) =>
    recordOf(row),
  );
}

/** The endpoints of regions. */
export async function listEndpointsIn(db: Db, regions: readonly string[]): Promise<Endpoint[]> {
  const query = table(db).whereIn('region_id', [...regions]);
  return (await query.orderBy(['service_id', 'region_id', 'interface', 'id'])).map((row) =>
    recordOf(row),
  );
}
