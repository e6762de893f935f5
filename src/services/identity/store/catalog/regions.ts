// The table of regions of the catalog.
import type { CatalogRegion } from '../../model.ts';
import { objectFrom, toJson } from '../columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';

interface Row {
  id: string;
  description: string;
  parent_region_id: string | null;
  extra: string;
}

const table = (db: Db) => db<Row>('identity_regions');

const recordOf = (row: Row): CatalogRegion => ({
  id: row.id,
  description: row.description,
  parentId: row.parent_region_id,
  extra: objectFrom(row.extra),
});
const rowOf = (region: CatalogRegion): Row => ({
  id: region.id,
  description: region.description,
  parent_region_id: region.parentId,
  extra: toJson(region.extra),
});

/** @throws the driver's error of `isDuplicate` where the id is taken */
export async function insertRegion(db: Db, region: CatalogRegion): Promise<void> {
  await table(db).insert(rowOf(region));
}

/** Inserts those that are not stored yet. */
export async function ensureRegions(db: Db, all: readonly CatalogRegion[]): Promise<void> {
  if (all.length) await table(db).insert(all.map(rowOf)).onConflict('id').ignore();
}

export async function updateRegion(db: Db, region: CatalogRegion): Promise<void> {
  await table(db).where({ id: region.id }).update(rowOf(region));
}

export async function deleteRegion(db: Db, id: string): Promise<void> {
  await table(db).where({ id }).delete();
}

export async function findRegion(db: Db, id: string): Promise<CatalogRegion | undefined> {
  const row = await table(db).where({ id }).first();
  return row && recordOf(row);
}

export async function listRegions(db: Db): Promise<CatalogRegion[]> {
  return (await table(db).orderBy('id')).map((row) => recordOf(row));
}
