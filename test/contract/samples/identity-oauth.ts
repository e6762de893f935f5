// Sample requests for Identity's OAuth.
import { oauthHeader, type OAuthKeys } from '../../services/identity/oauth/support.ts';
import { ids } from '../../services/identity/support.ts';
import type { Raw } from '../../support/raw.ts';
import type { Tools } from './identity-delegation.ts';
import type { Sample, Samples } from './model.ts';

interface Consumer {
  readonly id: string;
  readonly secret: string;
  readonly links: { readonly self: string };
}
type Keys = NonNullable<OAuthKeys['token']>;

/** When the samples are sent: the clock of the cloud stands still. */
const now = Date.parse('2026-11-20T12:00:00Z') / 1000;

/** The samples, by operationId. */
export function oauthSamples({ ask }: Tools): Samples {
  const root = '/OS-OAUTH1';
  const consumer = async (): Promise<Consumer> => {
    const { body } = await ask('POST', `${root}/consumers`, { consumer: { description: 'd' } });
    return (body as { consumer: Consumer }).consumer;
  };
  const headers = (path: string, by: Consumer, keys: Omit<OAuthKeys, 'consumer'>) => ({
    authorization: oauthHeader(
      by.links.self.replace(/\/OS-OAUTH1\/.*/, path),
      { consumer: by, ...keys },
      now,
    ),
  });
  const toRequest = (by: Consumer): Sample => ({
    headers: {
      'requested-project-id': ids.demoProject,
      ...headers(`${root}/request_token`, by, { more: { oauth_callback: 'oob' } }),
    },
  });
  const keysIn = ({ text }: Raw): Keys => {
    const form = new URLSearchParams(text);
    return { id: form.get('oauth_token')!, secret: form.get('oauth_token_secret')! };
  };
  const requestToken = async (by: Consumer): Promise<Keys> =>
    keysIn(await ask('POST', `${root}/request_token`, undefined, toRequest(by).headers));
  const toExchange = async (by: Consumer): Promise<Sample> => {
    const token = await requestToken(by);
    const { body } = await ask('PUT', `${root}/authorize/${token.id}`, {
      roles: [{ id: ids.role('member') }],
    });
    const { oauth_verifier } = (body as { token: { oauth_verifier: string } }).token;
    return { headers: headers(`${root}/access_token`, by, { token, more: { oauth_verifier } }) };
  };
  const accessToken = async (): Promise<string> => {
    const { headers: signed } = await toExchange(await consumer());
    return keysIn(await ask('POST', `${root}/access_token`, undefined, signed)).id;
  };
  const one = async () => ({ params: { consumer_id: (await consumer()).id } });
  const ofUser = { params: { user_id: ids.admin } };
  const oneAccess = async () => ({
    params: { user_id: ids.admin, access_token_id: await accessToken() },
  });
  const role = async () => ({
    params: { ...(await oneAccess()).params, role_id: ids.role('member') },
  });
  return {
    'consumers:list': () => ({}),
    'consumers:check_list': () => ({}),
    'consumers:create': () => ({ body: { consumer: { description: 'd' } } }),
    'consumers:show': one,
    'consumers:check': one,
    'consumers:update': async () => ({
      ...(await one()),
      body: { consumer: { description: 'e' } },
    }),
    'consumers:delete': one,
    'request_tokens:create': async () => toRequest(await consumer()),
    'request_tokens:authorize': async () => ({
      params: { request_token_id: (await requestToken(await consumer())).id },
      body: { roles: [{ name: 'member' }] },
    }),
    'access_tokens:create': async () => toExchange(await consumer()),
    'access_tokens:list': () => ofUser,
    'access_tokens:check_list': () => ofUser,
    'access_tokens:show': oneAccess,
    'access_tokens:check': oneAccess,
    'access_tokens:delete': oneAccess,
    'access_token_roles:list': oneAccess,
    'access_token_roles:check_list': oneAccess,
    'access_token_roles:show': role,
    'access_token_roles:check': role,
  };
}
