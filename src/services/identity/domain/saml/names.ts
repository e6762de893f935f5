// Names and URLs of SAML, and of its profile for clients that are no browsers (ECP).
import type { QualifiedName } from '../../../../kernel/xml/parse.ts';

/** The namespaces, by the prefixes that documents have here. */
export const namespaces = {
  saml: 'urn:oasis:names:tc:SAML:2.0:assertion',
  samlp: 'urn:oasis:names:tc:SAML:2.0:protocol',
  md: 'urn:oasis:names:tc:SAML:2.0:metadata',
  ds: 'http://www.w3.org/2000/09/xmldsig#',
  soap: 'http://schemas.xmlsoap.org/soap/envelope/',
  ecp: 'urn:oasis:names:tc:SAML:2.0:profiles:SSO:ecp',
  paos: 'urn:liberty:paos:2003-08',
} as const;

type Prefix = keyof typeof namespaces;

/** The declarations of namespaces, as attributes of an element. */
export const declarations = (...prefixes: Prefix[]): Record<string, string> =>
  Object.fromEntries(prefixes.map((prefix) => [`xmlns:${prefix}`, namespaces[prefix]]));

/** A name such as `saml:Issuer`, for reading. */
export function qualified(text: `${Prefix}:${string}`): QualifiedName {
  const [prefix, name] = text.split(':') as [Prefix, string];
  return { namespace: namespaces[prefix], name };
}

/** How messages are sent. */
export const bindings = {
  soap: 'urn:oasis:names:tc:SAML:2.0:bindings:SOAP',
  paos: 'urn:oasis:names:tc:SAML:2.0:bindings:PAOS',
  uri: 'urn:oasis:names:tc:SAML:2.0:bindings:URI',
} as const;

export const success = 'urn:oasis:names:tc:SAML:2.0:status:Success';
export const bearer = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
export const entityFormat = 'urn:oasis:names:tc:SAML:2.0:nameid-format:entity';
export const transientFormat = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
export const uriFormat = 'urn:oasis:names:tc:SAML:2.0:attrname-format:uri';
export const passwordContext = 'urn:oasis:names:tc:SAML:2.0:ac:classes:Password';

/** The recipient of a header of SOAP that is for the next program. */
export const nextActor = 'http://schemas.xmlsoap.org/soap/actor/next';

/** The media type of messages between a service provider and its client. */
export const paosType = 'application/vnd.paos+xml';

/** The URL of Identity as the client reaches it, which all others begin with. */
export type Site = string;

/** The name of Identity as an identity provider. Upstream: [saml] idp_entity_id. */
export const ownEntityId = (site: Site): string => `${site}/v3/OS-FEDERATION/saml2/idp`;

/** Upstream: [saml] idp_sso_endpoint, at which Keystone serves nothing. */
export const signOnUrl = (site: Site): string => `${site}/v3/OS-FEDERATION/saml2/sso`;

/** The name of Identity as a service provider, as a usual configuration of Shibboleth has it. */
export const serviceProviderId = (site: Site): string => `${site}/shibboleth`;

/** Where Identity, as a service provider, takes assertions of clients that are no browsers. */
export const consumerUrl = (site: Site): string => `${site}/Shibboleth.sso/SAML2/ECP`;

/** The name of an identity provider for tests, and what the URLs of its endpoints begin with. */
export const providerId = (site: Site, issuer: string): string =>
  `${site}/saml/${encodeURIComponent(issuer)}`;
