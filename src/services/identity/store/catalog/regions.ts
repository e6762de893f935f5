// The table of the catalog's regions.
import { jsonObject, named, nullable, text } from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { Table } from '../../../../kernel/db/table.ts';
import type { CatalogRegion } from '../../model.ts';

const regions = new Table<CatalogRegion>('identity_regions', {
  id: text,
  description: text,
  parentId: named('parent_region_id', nullable(text)),
  extra: jsonObject(),
});

/** @throws the driver's error of `isDuplicate` if a region has that id */
export async function insertRegion(db: Db, region: CatalogRegion): Promise<void> {
  await regions.insert(db, region);
}

/** Inserts the regions that do not exist yet. */
export const ensureRegions = (db: Db, all: readonly CatalogRegion[]): Promise<void> =>
  regions.ensure(db, all);

export async function updateRegion(db: Db, region: CatalogRegion): Promise<void> {
  await regions.update(db, { id: region.id }, region);
}

export async function deleteRegion(db: Db, id: string): Promise<void> {
  await regions.remove(db, { id });
}

export const findRegion = (db: Db, id: string): Promise<CatalogRegion | undefined> =>
  regions.find(db, { id });

/** All regions, ordered by id. */
export const listRegions = (db: Db): Promise<CatalogRegion[]> => regions.list(db);
