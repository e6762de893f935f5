// The table of endpoints.
import { boolean, jsonObject, nullable, text } from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { Table } from '../../../../kernel/db/table.ts';
import type { Endpoint } from '../../model.ts';

const endpoints = new Table<Endpoint>('identity_endpoints', {
  id: text,
  serviceId: text,
  interface: text,
  regionId: nullable(text),
  url: text,
  enabled: boolean,
  extra: jsonObject(),
});

/** The order of endpoints in the catalog. */
const catalogOrder = ['serviceId', 'regionId', 'interface'] as const;

export async function insertEndpoint(db: Db, endpoint: Endpoint): Promise<void> {
  await endpoints.insert(db, endpoint);
}

/** Inserts the endpoints that do not exist yet. */
export const ensureEndpoints = (db: Db, all: readonly Endpoint[]): Promise<void> =>
  endpoints.ensure(db, all);

export async function updateEndpoint(db: Db, endpoint: Endpoint): Promise<void> {
  await endpoints.update(db, { id: endpoint.id }, endpoint);
}

export async function deleteEndpoint(db: Db, id: string): Promise<void> {
  await endpoints.remove(db, { id });
}

export const findEndpoint = (db: Db, id: string): Promise<Endpoint | undefined> =>
  endpoints.find(db, { id });

export const listEndpoints = (db: Db): Promise<Endpoint[]> =>
  endpoints.list(db, { sort: catalogOrder });
