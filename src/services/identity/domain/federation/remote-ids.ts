// How assertions name the identity provider that they come from. Upstream: get_remote_id_parameter
// in keystone/federation/utils.py.
import type { Context } from '../../../../kernel/model.ts';
import {
  findProviderOfRemoteId,
  listIdentityProviders,
} from '../../store/federation/identity-providers.ts';
import { findProtocol } from '../../store/federation/protocols.ts';
import type { FederationProtocol, IdentityProvider } from '../../model.ts';
import { found } from '../refusals.ts';
import { loadSettings, type Settings } from '../settings.ts';

/** The attributes of an assertion, such as HTTP_OIDC_ISS. */
export type Attributes = Readonly<Record<string, string>>;

/**
 * The attributes that name the provider if neither the protocol nor the setting has one: that of
 * OpenID Connect, or that of SAML. Keystone checks nothing then, but Apache takes the assertions of
 * one issuer only.
 */
const issuerAttributes = ['HTTP_OIDC_ISS', 'Shib-Identity-Provider'] as const;

/** The remote id that an assertion has by a protocol; undefined if it has none. */
export function remoteIdOf(
  attributes: Attributes,
  protocol: FederationProtocol,
  settings: Settings,
): string | undefined {
  const name = protocol.remoteIdAttribute || settings.remoteIdAttribute;
  const names = name ? [name] : issuerAttributes;
  return names.map((one) => attributes[one]).find((one) => one !== undefined);
}

/** A provider that has a protocol, with the protocol. */
interface Offer {
  readonly provider: IdentityProvider;
  readonly protocol: FederationProtocol;
}

/** The providers that have a protocol of an id, ordered by their ids. */
export async function offersOf({ db }: Context, protocolId: string): Promise<Offer[]> {
  const offers: Offer[] = [];
  for (const provider of await listIdentityProviders(db)) {
    const protocol = await findProtocol(db, { providerId: provider.id, id: protocolId });
    if (protocol) offers.push({ provider, protocol });
  }
  return offers;
}

/**
 * The remote id of an assertion, by the first of the providers with a protocol for which it has
 * one; undefined if it has none.
 */
export async function remoteIdBy(
  context: Context,
  protocolId: string,
  attributes: Attributes,
): Promise<string | undefined> {
  const settings = await loadSettings(context);
  for (const { protocol } of await offersOf(context, protocolId)) {
    const remoteId = remoteIdOf(attributes, protocol, settings);
    if (remoteId) return remoteId;
  }
  return undefined;
}

/** The id of the provider that has a remote id. @throws 404 */
export const providerOfRemoteId = async ({ db }: Context, remoteId: string): Promise<string> =>
  found(await findProviderOfRemoteId(db, remoteId), 'identity_provider', remoteId);
