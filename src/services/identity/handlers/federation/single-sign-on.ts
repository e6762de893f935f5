// Single sign-on of browsers to dashboards. Upstream: keystone/api/auth.py.
import { cookieValues } from '../../domain/cookies.ts';
import { reply } from '../../../../kernel/http/reply.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';
import {
  assertionFor,
  beginSignIn,
  clientId,
  pendingLifetime,
  signInPlaces,
  type Entrance,
  type SignInPlace,
} from '../../domain/federation/browser-sign-in.ts';
import { trustedDashboard } from '../../domain/federation/dashboards.ts';
import { providerOfRemoteId, remoteIdBy } from '../../domain/federation/remote-ids.ts';
import { bearerAttributes } from '../../domain/oidc/tokens.ts';
import { unauthenticated } from '../../domain/refusals.ts';
import { loadSettings } from '../../domain/settings.ts';
import { callbackPage, choicePage } from '../../views/federation/single-sign-on.ts';
import { federatedToken } from './sign-in.ts';

/** GET and POST /v3/auth/OS-FEDERATION/websso/{protocol_id} */
export const signIn = (call: Call): Promise<Reply> => enter(call, undefined);

/**
 * GET and POST
 * /v3/auth/OS-FEDERATION/identity_providers/{identity_provider_id}/protocols/{protocol_id}/websso
 */
export const signInAt = (call: Call): Promise<Reply> =>
  enter(call, call.params['identity_provider_id']);

/**
 * A browser without an assertion signs in at an OpenID provider for tests first, and comes back to
 * the same path with a code.
 */
async function enter(call: Call, providerId: string | undefined): Promise<Reply> {
  const entrance = { providerId, protocolId: call.params['protocol_id']! };
  const { query, headers, prefix } = call;
  const [state, code] = [query.first('state'), query.first('code')];
  if (state !== undefined && code !== undefined) {
    const [cookie] = cookieValues(headers.cookie, cookieName(state));
    const returned = { state, code, cookie, redirectUri: redirectUriOf(call) };
    const assertion = await assertionFor(call, returned);
    return leave(call, entrance, `Bearer ${assertion}`, cookieFor(call, state, '', 0));
  }
  const isAssertion = /^bearer /i.test(headers.authorization ?? '');
  const places = isAssertion ? [] : await signInPlaces(call, entrance, prefix, query.first('iss'));
  if (!places.length) return leave(call, entrance, headers.authorization);
  await trustedDashboard(call, query.first('origin'));
  return places.length === 1 ? sendTo(call, places[0]!) : choicePage(call, places);
}

/** Sends a browser to the place where the user signs in. */
async function sendTo(call: Call, place: SignInPlace): Promise<Reply> {
  const redirectUri = redirectUriOf(call);
  const { state, nonce, cookie } = await beginSignIn(call, place, redirectUri);
  const query = new URLSearchParams({
    response_type: 'code',
    scope: 'openid',
    client_id: clientId,
    redirect_uri: redirectUri,
    state,
    nonce,
  });
  const provider = `${call.origin}${call.prefix}/oidc/${encodeURIComponent(place.issuer)}`;
  return reply(302, undefined, {
    location: `${provider}/authorize?${query.toString()}`,
    'set-cookie': cookieFor(call, state, cookie, pendingLifetime),
    'cache-control': 'no-store',
  });
}

/** Sends the browser of a user with an assertion to the dashboard, with a token. */
async function leave(
  call: Call,
  { providerId, protocolId }: Entrance,
  authorization: string | undefined,
  cookie?: string,
): Promise<Reply> {
  const remoteId =
    providerId === undefined
      ? await remoteIdBy(call, protocolId, await bearerAttributes(call, authorization))
      : undefined;
  if (providerId === undefined && remoteId === undefined) throw unauthenticated();
  const dashboard = await trustedDashboard(call, call.query.first('origin'));
  const provider = providerId ?? (await providerOfRemoteId(call, remoteId!));
  const token = await federatedToken(call, provider, protocolId, authorization);
  const { ssoCallbackTemplate: template } = await loadSettings(call);
  return callbackPage(template, { host: dashboard, token: token.id }, cookie);
}

/** The URL that the provider sends the browser back to. */
const redirectUriOf = ({ origin, prefix, path, query }: Call): string =>
  `${origin}${prefix}${path}?origin=${encodeURIComponent(query.first('origin') ?? '')}`;

const cookieName = (state: string): string => `websso_${state}`;

/** The header that stores a cookie, which only requests for single sign-on carry. */
function cookieFor(
  { origin, prefix }: Call,
  state: string,
  value: string,
  seconds: number,
): string {
  const secure = origin.startsWith('https:') ? '; Secure' : '';
  const path = `${prefix}/v3/auth/OS-FEDERATION`;
  const rules = `Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
  return `${cookieName(state)}=${value}; ${rules}`;
}
