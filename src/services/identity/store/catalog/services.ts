// The table of services in the catalog.
import type { CatalogService } from '../../model.ts';
import { objectFrom, toJson } from '../columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';

interface Row {
  id: string;
  type: string;
  enabled: number;
  extra: string;
}

const table = (db: Db) => db<Row>('identity_services');

const recordOf = (row: Row): CatalogService => ({
  id: row.id,
  type: row.type,
  enabled: Boolean(row.enabled),
  extra: objectFrom(row.extra),
});
const rowOf = (service: CatalogService): Row => ({
  id: service.id,
  type: service.type,
  enabled: Number(service.enabled),
  extra: toJson(service.extra),
});

export async function insertService(db: Db, service: CatalogService): Promise<void> {
  await table(db).insert(rowOf(service));
}

/** Inserts those that are not stored yet. */
export async function ensureServices(db: Db, all: readonly CatalogService[]): Promise<void> {
  if (all.length) await table(db).insert(all.map(rowOf)).onConflict('id').ignore();
}

export async function updateService(db: Db, service: CatalogService): Promise<void> {
  await table(db).where({ id: service.id }).update(rowOf(service));
}

/** Deletes the service with its endpoints. */
export async function deleteService(db: Db, id: string): Promise<void> {
  await table(db).where({ id }).delete();
}

export async function findService(db: Db, id: string): Promise<CatalogService | undefined> {
  const row = await table(db).where({ id }).first();
  return row && recordOf(row);
}

export async function listServices(db: Db): Promise<CatalogService[]> {
  return (await table(db).orderBy(['type', 'id'])).map((row) => recordOf(row));
}
