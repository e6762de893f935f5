// OpenID providers for tests: the discovery document, the keys, and the endpoints of OAuth 2.0.
import { mediaType } from '../../../../kernel/http/steps.ts';
import { ok, reply } from '../../../../kernel/http/reply.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';
import { basicClient } from '../../domain/auth/oauth2.ts';
import {
  grantedUser,
  grantTypes,
  redirection,
  type Credentials,
} from '../../domain/oidc/grants.ts';
import { publicKey, signIdentity, tokenLifetime } from '../../domain/oidc/tokens.ts';

/** The provider in the path, and its URL. */
const issuerOf = (call: Call): { name: string; url: string } => {
  const name = call.params['issuer']!;
  return { name, url: `${call.origin}${call.prefix}/oidc/${encodeURIComponent(name)}` };
};

/** GET /oidc/{issuer}/.well-known/openid-configuration */
export function discover(call: Call): Reply {
  const { url } = issuerOf(call);
  return ok({
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    jwks_uri: `${url}/jwks`,
    response_types_supported: ['code'],
    grant_types_supported: grantTypes,
    scopes_supported: ['openid', 'profile', 'email'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  });
}

/** GET /oidc/{issuer}/jwks */
export const keys = async (call: Call): Promise<Reply> => ok({ keys: [await publicKey(call.db)] });

/** GET /oidc/{issuer}/authorize. The browser asks the user for name and password. */
export async function authorize(call: Call): Promise<Reply> {
  const { name } = issuerOf(call);
  const query = new URLSearchParams(call.query.text);
  const location = await redirection(call, name, query, basicOf(call));
  if (location === undefined)
    return reply(401, undefined, {
      'www-authenticate': `Basic realm="${encodeURIComponent(name)}"`,
    });
  return reply(302, undefined, { location });
}

/** POST /oidc/{issuer}/token */
export async function createToken(call: Call): Promise<Reply> {
  const { name, url } = issuerOf(call);
  const isForm = mediaType(call) === 'application/x-www-form-urlencoded';
  const form = new URLSearchParams(isForm ? call.raw?.toString() : '');
  const request = { issuer: name, form, basic: basicOf(call) };
  const { user, clientId, nonce } = await grantedUser(call, request);
  const token = await signIdentity(call, user, { issuer: url, audience: clientId || url, nonce });
  const body = {
    access_token: token,
    id_token: token,
    token_type: 'Bearer',
    expires_in: tokenLifetime,
    scope: form.get('scope') ?? 'openid',
  };
  return reply(200, body, { 'cache-control': 'no-store' });
}

/** The credentials in a header of the type Basic. */
export function basicOf({ headers: { authorization } }: Call): Credentials | undefined {
  const client = basicClient(authorization);
  return client && { name: client.id, password: client.secret };
}
