// The table of the identity providers that are trusted, from their metadata.
import { jsonTexts, text } from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { Table } from '../../../../kernel/db/table.ts';
import type { SamlProvider } from '../../model.ts';

const providers = new Table<SamlProvider>(
  'identity_saml_providers',
  { name: text, entityId: text, certificates: jsonTexts() },
  { key: 'name' },
);

/**
 * Stores a provider, or replaces the one of that name.
 * @throws the driver's error of `isDuplicate` if another one has the entity id
 */
export async function setSamlProvider(db: Db, provider: SamlProvider): Promise<void> {
  await providers.remove(db, { name: provider.name });
  await providers.insert(db, provider);
}

/** Deletes a provider, and returns whether it existed. */
export const deleteSamlProvider = async (db: Db, name: string): Promise<boolean> =>
  (await providers.remove(db, { name })) > 0;

/** The provider with an entity id. */
export const findSamlProvider = (db: Db, entityId: string): Promise<SamlProvider | undefined> =>
  providers.find(db, { entityId });

/** All providers, ordered by name. */
export const listSamlProviders = (db: Db): Promise<SamlProvider[]> => providers.list(db);
