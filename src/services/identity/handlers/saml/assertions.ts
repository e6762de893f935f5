// Identity as an identity provider for other clouds (K2K): its metadata, and assertions for tokens.
// Upstream: keystone/api/auth.py, keystone/api/os_federation.py.
import { reply } from '../../../../kernel/http/reply.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';
import { documentOf, type Xml } from '../../../../kernel/xml/build.ts';
import { signingKey } from '../../domain/saml/keys.ts';
import { ownMetadata } from '../../domain/saml/metadata.ts';
import { ownEntityId, type Site } from '../../domain/saml/names.ts';
import {
  assertionOfToken,
  ecpEnvelope,
  type AssertionRequest,
  type TokenAssertion,
} from '../../domain/saml/token-assertions.ts';
import { loadSettings } from '../../domain/settings.ts';
import { legacySchemaError } from '../../errors.ts';

/** The URL of Identity as the client reaches it. */
export const siteOf = ({ origin, prefix }: Call): Site => `${origin}${prefix}`;

/** A reply in XML. */
export const xmlReply = (xml: Xml, headers: Reply['headers'] = {}): Reply =>
  reply(200, documentOf(xml), { 'content-type': 'text/xml', ...headers });

/** GET and HEAD /v3/OS-FEDERATION/saml2/metadata */
export async function showMetadata(call: Call): Promise<Reply> {
  const site = siteOf(call);
  const entityId = (await loadSettings(call)).idpEntityId ?? ownEntityId(site);
  return xmlReply(ownMetadata(site, entityId, await signingKey(call)));
}

/** POST /v3/auth/OS-FEDERATION/saml2 */
export async function create(call: Call): Promise<Reply> {
  const assertion = await requestedAssertion(call);
  return xmlReply(assertion.response, providerHeaders(assertion));
}

/** POST /v3/auth/OS-FEDERATION/saml2/ecp */
export async function createForEcp(call: Call): Promise<Reply> {
  const assertion = await requestedAssertion(call);
  return xmlReply(ecpEnvelope(assertion), providerHeaders(assertion));
}

/** @throws 400 as upstream's older validator, also for a body without `auth` */
async function requestedAssertion(call: Call): Promise<TokenAssertion> {
  const { auth = null } = call.body as { auth?: AssertionRequest };
  const failure = await call.operation?.checkBody({ auth });
  if (failure) throw legacySchemaError(failure, 'auth');
  return assertionOfToken(call, siteOf(call), auth!);
}

const providerHeaders = ({ provider }: TokenAssertion): Reply['headers'] => ({
  'x-sp-url': provider.spUrl,
  'x-auth-url': provider.authUrl,
});
