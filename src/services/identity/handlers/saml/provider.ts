// The SAML identity providers for tests: their metadata, and assertions by name and password. Not
// in Keystone.
import { unauthorized } from '../../../../kernel/errors.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';
import { userWith } from '../../domain/oidc/grants.ts';
import { signingKey } from '../../domain/saml/keys.ts';
import { providerMetadata } from '../../domain/saml/metadata.ts';
import { assertionOfUser, readRequest } from '../../domain/saml/provider.ts';
import { basicOf } from '../oidc/provider.ts';
import { siteOf, xmlReply } from './assertions.ts';

/** GET and HEAD /saml/{issuer}/metadata */
export async function showMetadata(call: Call): Promise<Reply> {
  return xmlReply(providerMetadata(siteOf(call), call.params['issuer']!, await signingKey(call)));
}

/** POST /saml/{issuer}/ecp */
export async function issueAssertion(call: Call): Promise<Reply> {
  const issuer = call.params['issuer']!;
  const credentials = basicOf(call);
  const user = credentials && (await userWith(call, issuer, credentials));
  if (!user)
    throw unauthorized('The user name or the password is wrong.', {
      headers: { 'www-authenticate': `Basic realm="${encodeURIComponent(issuer)}"` },
    });
  const request = readRequest(call.raw?.toString() ?? '');
  return xmlReply(await assertionOfUser(call, siteOf(call), user, request));
}
