// What is deleted with an identity provider or a protocol.
import type { Context } from '../../../../kernel/model.ts';
import {
  deleteFederatedUsers,
  listFederatedUsers,
} from '../../store/federation/federated-users.ts';
import {
  deleteIdentityProvider,
  listIdentityProviders,
} from '../../store/federation/identity-providers.ts';
import { deleteProtocol, type ProtocolKey } from '../../store/federation/protocols.ts';
import { findUsers } from '../../store/identity/users.ts';
import { discardUser } from '../identity/users.ts';

/** Deletes an identity provider with its protocols and the users who come from it alone. */
export async function discardIdentityProvider(context: Context, id: string): Promise<void> {
  await discardUsersOf(context, { providerId: id });
  await deleteIdentityProvider(context.db, id);
}

/** Deletes a protocol with the users who come by it alone. */
export async function discardProtocol(context: Context, key: ProtocolKey): Promise<void> {
  await discardUsersOf(context, { providerId: key.providerId, protocolId: key.id });
  await deleteProtocol(context.db, key);
}

async function discardUsersOf(
  context: Context,
  source: { readonly providerId: string; readonly protocolId?: string },
): Promise<void> {
  const { db } = context;
  const ids = (await listFederatedUsers(db, source)).map(({ userId }) => userId);
  await deleteFederatedUsers(db, source);
  for (const user of await findUsers(db, ids)) {
    const isOrphan = !user.isLocal && !(await listFederatedUsers(db, { userId: user.id })).length;
    if (isOrphan) await discardUser(context, user.id);
  }
}

/** Deletes the identity providers of a domain. */
export async function discardIdentityProvidersOf(
  context: Context,
  domainId: string,
): Promise<void> {
  for (const { id } of await listIdentityProviders(context.db, { domainId }))
    await discardIdentityProvider(context, id);
}
