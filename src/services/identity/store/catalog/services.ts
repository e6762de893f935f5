// The table of the catalog's services.
import { boolean, jsonObject, text } from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { Table } from '../../../../kernel/db/table.ts';
import type { CatalogService } from '../../model.ts';

const services = new Table<CatalogService>('identity_services', {
  id: text,
  type: text,
  enabled: boolean,
  extra: jsonObject(),
});

export async function insertService(db: Db, service: CatalogService): Promise<void> {
  await services.insert(db, service);
}

/** Inserts the services that do not exist yet. */
export const ensureServices = (db: Db, all: readonly CatalogService[]): Promise<void> =>
  services.ensure(db, all);

export async function updateService(db: Db, service: CatalogService): Promise<void> {
  await services.update(db, { id: service.id }, service);
}

/** Deletes a service with its endpoints. */
export async function deleteService(db: Db, id: string): Promise<void> {
  await services.remove(db, { id });
}

export const findService = (db: Db, id: string): Promise<CatalogService | undefined> =>
  services.find(db, { id });

/** All services, ordered by type. */
export const listServices = (db: Db): Promise<CatalogService[]> =>
  services.list(db, { sort: ['type'] });
