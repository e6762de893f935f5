// Shared by the tests of federation by SAML: gets documents and reads their signatures.
import { SignedXml } from 'xml-crypto';
import type { Test } from 'supertest';
import { parseXml } from '../../../../src/kernel/xml/parse.ts';
import type { World } from '../../../support/cloud.ts';
import { ask, signIn } from '../support.ts';
import { put, root } from './support.ts';

/** The URL of Identity, as requests of these tests have it in the header Host. */
export const site = 'http://127.0.0.1:6060/identity';
export const host = { host: '127.0.0.1:6060' };

/** Where this cloud, as a service provider, takes assertions. */
export const consumer = `${site}/Shibboleth.sso/SAML2/ECP`;

/** The path at which clients sign in by the protocol saml2 of a provider. */
export const authPath = (provider: string): string =>
  `${root}/identity_providers/${provider}/protocols/saml2/auth`;

/** Registers this cloud as a service provider of itself. */
export const registerSelf = (world: World, fields: object = {}) =>
  put(world, 'service_providers/self', {
    auth_url: `${site}${authPath('self')}`,
    sp_url: consumer,
    enabled: true,
    ...fields,
  });

/** Asks for an assertion about the user of a token. */
export const requestAssertion = (
  world: World,
  token: string,
  { form = '', provider = 'self' }: { form?: '' | '/ecp'; provider?: string } = {},
): Promise<Awaited<Test>> =>
  ask(world, 'POST', `/v3/auth/OS-FEDERATION/saml2${form}`, {
    token: null,
    headers: host,
    body: {
      auth: {
        identity: { methods: ['token'], token: { id: token } },
        scope: { service_provider: { id: provider } },
      },
    },
  });

/** An assertion about the user admin, as a client sends it to the service provider. */
export async function adminEnvelope(world: World): Promise<string> {
  const reply = await requestAssertion(world, await signIn(world), { form: '/ecp' });
  if (reply.status !== 200) throw new Error(`${reply.status} ${reply.text}`);
  return reply.text;
}

/** A certificate in a document, in PEM. */
export const certificateIn = (xml: string): string => {
  const [, text = ''] = /<ds:X509Certificate>([^<]+)</.exec(xml) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`;
};

/** What the only signature in a document signs. @throws Error if it is invalid */
export function signedPart(xml: string, certificate: string): string {
  const [signature = ''] = /<ds:Signature .*<\/ds:Signature>/s.exec(xml) ?? [];
  const check = new SignedXml({ publicCert: certificate });
  check.loadSignature(signature);
  if (!check.checkSignature(xml)) throw new Error('The signature is invalid.');
  const [part = ''] = check.getSignedReferences();
  parseXml(part);
  return part;
}
