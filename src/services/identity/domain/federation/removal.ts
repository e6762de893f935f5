// What is deleted with an identity provider.
import type { Context } from '../../../../kernel/model.ts';
import {
  deleteIdentityProvider,
  listIdentityProviders,
} from '../../store/federation/identity-providers.ts';

/** Deletes an identity provider with its protocols. */
export async function discardIdentityProvider({ db }: Context, id: string): Promise<void> {
  await deleteIdentityProvider(db, id);
}

/** Deletes the identity providers of a domain. */
export async function discardIdentityProvidersOf(
  context: Context,
  domainId: string,
): Promise<void> {
  for (const { id } of await listIdentityProviders(context.db, { domainId }))
    await discardIdentityProvider(context, id);
}
