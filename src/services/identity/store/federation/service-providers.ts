// The table of service providers.
import { boolean, nullable, text } from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { Table } from '../../../../kernel/db/table.ts';
import type { ServiceProvider } from '../../model.ts';

const providers = new Table<ServiceProvider>('identity_service_providers', {
  id: text,
  authUrl: text,
  spUrl: text,
  enabled: boolean,
  description: nullable(text),
  relayStatePrefix: text,
});

/** @throws the driver's error of `isDuplicate` if a provider has that id */
export async function insertServiceProvider(db: Db, provider: ServiceProvider): Promise<void> {
  await providers.insert(db, provider);
}

export async function updateServiceProvider(db: Db, provider: ServiceProvider): Promise<void> {
  await providers.update(db, { id: provider.id }, provider);
}

export async function deleteServiceProvider(db: Db, id: string): Promise<void> {
  await providers.remove(db, { id });
}

export const findServiceProvider = (db: Db, id: string): Promise<ServiceProvider | undefined> =>
  providers.find(db, { id });

/** The providers that match, ordered by id. */
export const listServiceProviders = (
  db: Db,
  where: { enabled?: boolean } = {},
): Promise<ServiceProvider[]> => providers.list(db, { where });
