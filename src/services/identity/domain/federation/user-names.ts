// How assertions of identity providers name users, as administrators set it. Upstream:
// keystone/identity/core.py.
import type { Db } from '../../../../kernel/db/database.ts';
import { badRequest } from '../../../../kernel/errors.ts';
import * as store from '../../store/federation/federated-users.ts';
import { findIdentityProvider } from '../../store/federation/identity-providers.ts';
import { findProtocol } from '../../store/federation/protocols.ts';
import type { Fields } from '../attributes.ts';
import type { FederatedUser } from '../../model.ts';
import { checkLength, duplicateEntry } from '../refusals.ts';

/** The names of one identity provider in a request. */
interface NamesOfProvider {
  readonly idp_id: string;
  readonly protocols: readonly { readonly protocol_id: string; readonly unique_id: string }[];
}

type Names = readonly Omit<FederatedUser, 'userId'>[];

/**
 * The names in a request; undefined if they stay unchanged.
 * @throws 400 if a provider or a protocol does not exist
 */
export async function federatedNames(db: Db, fields: Fields): Promise<Names | undefined> {
  const given = (fields['federated'] ?? []) as readonly NamesOfProvider[];
  if (!given.length) return undefined;
  const names: Omit<FederatedUser, 'userId'>[] = [];
  for (const { idp_id: providerId, protocols } of given) {
    if (!(await findIdentityProvider(db, providerId)))
      throw badRequest(`Could not find Identity Provider: ${providerId}`);
    for (const { protocol_id: protocolId, unique_id: uniqueId } of protocols) {
      if (!(await findProtocol(db, { providerId, id: protocolId })))
        throw badRequest(
          `Could not find federated protocol ${protocolId} for Identity Provider: ${providerId}.`,
        );
      checkLength('unique_id', uniqueId, 255);
      names.push({ providerId, protocolId, uniqueId });
    }
  }
  return names;
}

/** Replaces the names of a user, if new ones are given. @throws 409 if one is taken */
export async function replaceFederatedNames(
  db: Db,
  userId: string,
  names: Names | undefined,
): Promise<void> {
  if (!names) return;
  await store.deleteFederatedUsers(db, { userId });
  for (const name of names) {
    if (await store.findFederatedUser(db, name)) throw duplicateEntry('federated_user');
    await store.insertFederatedUser(db, { ...name, userId });
  }
}
