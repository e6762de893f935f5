// Concurrent uses of a SAML assertion, and writes of the provider that has issued it.
import { parseTime } from '../../../../src/kernel/clock.ts';
import { createSigningKey, type KeyPair } from '../../../../src/kernel/tls/certificates.ts';
import { envelopeOf } from '../../../../src/services/identity/domain/saml/envelopes.ts';
import { ownMetadata } from '../../../../src/services/identity/domain/saml/metadata.ts';
import { consumerUrl } from '../../../../src/services/identity/domain/saml/names.ts';
import { responseOf } from '../../../../src/services/identity/domain/saml/responses.ts';
import { mustSucceed, type RequestSpec, type Scenario } from '../races.ts';

const providers = '/_emulator/saml/providers';
let made: Promise<KeyPair> | undefined;

/** The key of the other cloud, which takes long to make. */
const otherKey = (): Promise<KeyPair> => (made ??= createSigningKey('other'));

/** An assertion of another cloud for this one, as a client sends it. */
async function envelopeFor(site: string, issuer: string): Promise<string> {
  const content = {
    issuer,
    recipient: consumerUrl(site),
    subject: 'ann',
    attributes: [],
    issuedAt: parseTime('2026-01-01')!,
    expiresAt: parseTime('2100-01-01')!,
  };
  return envelopeOf([], responseOf(content, await otherKey())).markup;
}

export const samlScenarios: readonly Scenario[] = [
  {
    name: 'a SAML assertion and its provider',
    async setup(send, name) {
      const { body } = await send('GET', '/identity/v3');
      const [{ href }] = (body as { version: { links: [{ href: string }] } }).version.links;
      const issuer = `https://${name}/idp`;
      const metadata = ownMetadata('https://other', issuer, await otherKey()).markup;
      await mustSucceed(send, ['PUT', `${providers}/${name}`, { metadata }]);
      const envelope = await envelopeFor(href.replace(/\/v3\/?$/, ''), issuer);
      return { metadata, envelope };
    },
    writes: ({ metadata, envelope }, name) => {
      const present: RequestSpec = ['POST', '/identity/Shibboleth.sso/SAML2/ECP', envelope];
      return {
        'present the assertion': present,
        'present it again': present,
        'replace the provider': ['PUT', `${providers}/${name}`, { metadata }],
        'register its name for another one': ['PUT', `${providers}/other-${name}`, { metadata }],
        'delete the provider': ['DELETE', `${providers}/${name}`],
      };
    },
    reads: () => [providers],
    async cleanUp(send, _ids, name) {
      for (const one of [name, `other-${name}`]) await send('DELETE', `${providers}/${one}`);
    },
  },
];
