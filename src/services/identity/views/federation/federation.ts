// Identity providers, protocols, mappings and service providers in the format of the API.
import type {
  FederationProtocol,
  IdentityProvider,
  Mapping,
  ServiceProvider,
} from '../../model.ts';
import { linkTo, type View } from '../links.ts';
import type { Call } from '../../../../kernel/model.ts';

export function identityProviderView(call: Call, provider: IdentityProvider): View {
  const self = linkTo(call, `OS-FEDERATION/identity_providers/${provider.id}`);
  return {
    id: provider.id,
    domain_id: provider.domainId,
    enabled: provider.enabled,
    description: provider.description,
    authorization_ttl: provider.authorizationTtl,
    remote_ids: provider.remoteIds,
    links: { self, protocols: `${self}/protocols` },
  };
}

/** Upstream's links lack the path of the provider. */
export const protocolView = (call: Call, protocol: FederationProtocol): View => ({
  id: protocol.id,
  mapping_id: protocol.mappingId,
  links: {
    self: linkTo(call, `protocols/${protocol.id}`),
    identity_provider: linkTo(call, protocol.providerId),
  },
});

/** Only lists have all attributes. */
export const listedProtocolView = (call: Call, protocol: FederationProtocol): View => ({
  ...protocolView(call, protocol),
  idp_id: protocol.providerId,
  remote_id_attribute: protocol.remoteIdAttribute,
});

export const mappingView = (call: Call, { id, rules, schemaVersion }: Mapping): View => ({
  id,
  rules,
  schema_version: schemaVersion,
  links: { self: linkTo(call, `OS-FEDERATION/mappings/${id}`) },
});

export const serviceProviderView = (call: Call, provider: ServiceProvider): View => ({
  id: provider.id,
  auth_url: provider.authUrl,
  sp_url: provider.spUrl,
  enabled: provider.enabled,
  description: provider.description,
  relay_state_prefix: provider.relayStatePrefix,
  links: { self: linkTo(call, `OS-FEDERATION/service_providers/${provider.id}`) },
});
