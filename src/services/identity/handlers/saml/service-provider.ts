// Identity as a service provider: its metadata, and where it takes assertions. Not in Keystone: in
// a real cloud, these are the paths of mod_shib.
import { reply } from '../../../../kernel/http/reply.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';
import { signingKey } from '../../domain/saml/keys.ts';
import { serviceProviderMetadata } from '../../domain/saml/metadata.ts';
import { paosType } from '../../domain/saml/names.ts';
import { acceptResponse, authenticationRequest } from '../../domain/saml/service-provider.ts';
import { cookieName } from '../../domain/saml/sessions.ts';
import { siteOf, xmlReply } from './assertions.ts';

/** GET and HEAD /Shibboleth.sso/Metadata */
export const showMetadata = async (call: Call): Promise<Reply> =>
  xmlReply(serviceProviderMetadata(siteOf(call), await signingKey(call)));

/** POST /Shibboleth.sso/SAML2/ECP */
export async function acceptAssertion(call: Call): Promise<Reply> {
  const { id, url } = await acceptResponse(call, siteOf(call), call.raw?.toString() ?? '');
  const secure = call.origin.startsWith('https:') ? '; Secure' : '';
  const cookie = `${cookieName}=${id}; Path=/; HttpOnly${secure}`;
  return reply(302, undefined, { location: url, 'set-cookie': cookie });
}

/** Whether a client can get an assertion for a request that it gets in a reply. */
export function takesRequests({ headers }: Call): boolean {
  const { accept = '', paos } = headers;
  return accept.includes(paosType) && paos !== undefined;
}

/** The reply to a client that has no session: a request for an assertion. */
export async function requestAssertion(call: Call): Promise<Reply> {
  const site = siteOf(call);
  const envelope = await authenticationRequest(call, site, `${site}${call.path}`);
  return xmlReply(envelope, { 'content-type': paosType });
}
