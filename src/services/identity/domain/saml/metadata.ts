// Metadata: what service providers have to know about an identity provider, and the reverse.
// Upstream: MetadataGenerator in keystone/federation/idp.py.
import type { KeyPair } from '../../../../kernel/tls/certificates.ts';
import { element, type Xml } from '../../../../kernel/xml/build.ts';
import { certificateText } from './keys.ts';
import {
  bindings,
  consumerUrl,
  declarations,
  namespaces,
  providerId,
  serviceProviderId,
  signOnUrl,
  transientFormat,
  type Site,
} from './names.ts';
import { newId } from './responses.ts';
import { signed } from './signatures.ts';

/** The metadata of Identity as an identity provider. */
export const ownMetadata = (site: Site, entityId: string, pair: KeyPair): Xml =>
  entity(entityId, pair, [
    element(
      'md:IDPSSODescriptor',
      { protocolSupportEnumeration: namespaces.samlp },
      keyDescriptor(pair),
      organization,
      contact,
      nameFormat,
      endpoint('md:SingleSignOnService', bindings.uri, signOnUrl(site)),
    ),
  ]);

/** The metadata of an identity provider for tests. */
export function providerMetadata(site: Site, issuer: string, pair: KeyPair): Xml {
  const id = providerId(site, issuer);
  return entity(id, pair, [
    element(
      'md:IDPSSODescriptor',
      { protocolSupportEnumeration: namespaces.samlp },
      keyDescriptor(pair),
      nameFormat,
      endpoint('md:SingleSignOnService', bindings.soap, `${id}/ecp`),
    ),
  ]);
}

/** The metadata of Identity as a service provider. */
export const serviceProviderMetadata = (site: Site, pair: KeyPair): Xml =>
  entity(serviceProviderId(site), pair, [
    element(
      'md:SPSSODescriptor',
      {
        protocolSupportEnumeration: namespaces.samlp,
        AuthnRequestsSigned: 'false',
        WantAssertionsSigned: 'true',
      },
      element('md:AssertionConsumerService', {
        Binding: bindings.paos,
        Location: consumerUrl(site),
        index: '1',
      }),
    ),
  ]);

const entity = (id: string, pair: KeyPair, roles: readonly Xml[]): Xml =>
  signed(
    element(
      'md:EntityDescriptor',
      { ...declarations('md', 'ds'), ID: newId(), entityID: id },
      ...roles,
    ),
    pair,
    'first',
  );

const keyDescriptor = ({ cert }: KeyPair): Xml =>
  element(
    'md:KeyDescriptor',
    { use: 'signing' },
    element(
      'ds:KeyInfo',
      {},
      element('ds:X509Data', {}, element('ds:X509Certificate', {}, certificateText(cert))),
    ),
  );

const endpoint = (name: string, binding: string, location: string): Xml =>
  element(name, { Binding: binding, Location: location });

const nameFormat = element('md:NameIDFormat', {}, transientFormat);

const english = { 'xml:lang': 'en' };

/** Upstream's defaults. */
const organization = element(
  'md:Organization',
  {},
  element('md:OrganizationName', english, 'SAML Identity Provider'),
  element('md:OrganizationDisplayName', english, 'OpenStack SAML Identity Provider'),
  element('md:OrganizationURL', english, 'https://example.com/'),
);

const contact = element(
  'md:ContactPerson',
  { contactType: 'other' },
  element('md:Company', {}, 'Example, Inc.'),
  element('md:GivenName', {}, 'SAML Identity Provider Support'),
  element('md:SurName', {}, 'Support'),
  element('md:EmailAddress', {}, 'support@example.com'),
  element('md:TelephoneNumber', {}, '+1 800 555 0100'),
);
