// The tables of identity providers and of their remote ids.
import { boolean, integer, nullable, text } from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { Table, type RecordOf } from '../../../../kernel/db/table.ts';
import { grouped } from '../../../../kernel/db/grouping.ts';
import type { IdentityProvider } from '../../model.ts';

const providers = new Table('identity_providers', {
  id: text,
  domainId: text,
  enabled: boolean,
  description: nullable(text),
  authorizationTtl: nullable(integer),
});

const remoteIds = new Table(
  'identity_provider_remote_ids',
  { remoteId: text, providerId: text },
  { key: 'remoteId' },
);

/** @throws the driver's error of `isDuplicate` if a provider has that id or a remote id */
export async function insertIdentityProvider(db: Db, provider: IdentityProvider): Promise<void> {
  await providers.insert(db, provider);
  await insertRemoteIds(db, provider);
}

/** @throws the driver's error of `isDuplicate` if another provider has a remote id */
export async function updateIdentityProvider(db: Db, provider: IdentityProvider): Promise<void> {
  await providers.update(db, { id: provider.id }, provider);
  await remoteIds.remove(db, { providerId: provider.id });
  await insertRemoteIds(db, provider);
}

const insertRemoteIds = (db: Db, { id, remoteIds: all }: IdentityProvider): Promise<void> =>
  remoteIds.insertAll(
    db,
    all.map((remoteId) => ({ remoteId, providerId: id })),
  );

/** Deletes a provider with its remote ids and protocols. */
export async function deleteIdentityProvider(db: Db, id: string): Promise<void> {
  await providers.remove(db, { id });
}

export async function findIdentityProvider(
  db: Db,
  id: string,
): Promise<IdentityProvider | undefined> {
  const row = await providers.find(db, { id });
  return row && (await withRemoteIds(db, [row]))[0];
}

/** The providers of a domain, or all, ordered by id. */
export const listIdentityProviders = async (
  db: Db,
  where: { domainId?: string } = {},
): Promise<IdentityProvider[]> => withRemoteIds(db, await providers.list(db, { where }));

/** The first of these remote ids that a provider has, other than `exceptId`. */
export async function takenRemoteId(
  db: Db,
  ids: readonly string[],
  exceptId: string,
): Promise<string | undefined> {
  const taken = await remoteIds.among(db, 'remoteId', ids);
  return taken.find(({ providerId }) => providerId !== exceptId)?.remoteId;
}

/** The id of the provider that has a remote id. */
export const findProviderOfRemoteId = async (
  db: Db,
  remoteId: string,
): Promise<string | undefined> => (await remoteIds.find(db, { remoteId }))?.providerId;

async function withRemoteIds(
  db: Db,
  rows: readonly RecordOf<typeof providers>[],
): Promise<IdentityProvider[]> {
  const ids = rows.map(({ id }) => id);
  const byProvider = grouped(await remoteIds.among(db, 'providerId', ids), (one) => one.providerId);
  return rows.map((row) => ({
    ...row,
    remoteIds: (byProvider.get(row.id) ?? []).map(({ remoteId }) => remoteId),
  }));
}
