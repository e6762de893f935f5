// Shared by the tests of federation.
import type { World } from '../../../support/cloud.ts';
import { ask } from '../support.ts';

export const root = '/v3/OS-FEDERATION';

/** A rule that names the user after an attribute of the assertion. */
export const rule = {
  local: [{ user: { name: '{0}' } }],
  remote: [{ type: 'HTTP_OIDC_SUB' }],
};

/** Creates a resource of federation by PUT, and returns it. */
export async function put(
  world: World,
  path: string,
  fields: object = {},
): Promise<Record<string, unknown> & { id: string }> {
  const noun = path.split('/').at(-2)!.replace(/s$/, '');
  const reply = await ask(world, 'PUT', `${root}/${path}`, { body: { [noun]: fields } });
  if (reply.status !== 201) throw new Error(`${reply.status} ${JSON.stringify(reply.body)}`);
  return (reply.body as Record<string, never>)[noun]!;
}

/** The OpenID provider of the tests. */
export const issuer = '/identity/oidc/partner';

/** Creates or replaces a user of the OpenID provider. */
export const setUser = (world: World, name: string, claims: object = {}) =>
  world
    .ask('identity', 'PUT', `/_emulator/oidc/partner/users/${name}`, {
      token: null,
      body: { password: 'pw', claims },
    })
    .expect(200);

/** Sends a form to the OpenID provider. */
export const requestToken = (world: World, form: Record<string, string>, authorization?: string) =>
  world.ask('identity', 'POST', `${issuer}/token`, {
    token: null,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(authorization === undefined ? {} : { authorization }),
    },
    body: new URLSearchParams(form).toString(),
  });

/** A token of the OpenID provider for a user. */
export async function bearer(world: World, username: string): Promise<string> {
  const form = { grant_type: 'password', username, password: 'pw', client_id: 'cli' };
  const reply = await requestToken(world, form).expect(200);
  return `Bearer ${(reply.body as { access_token: string }).access_token}`;
}

/** Makes an enabled identity provider with the protocol openid, whose mapping has these rules. */
export async function configure(
  world: World,
  rules: readonly object[],
  { version = '2.0', provider = {} }: { version?: string; provider?: object } = {},
): Promise<string> {
  await put(world, 'mappings/m', { rules, schema_version: version });
  const fields = { enabled: true, ...provider };
  const { domain_id: domain } = await put(world, 'identity_providers/partner', fields);
  await put(world, 'identity_providers/partner/protocols/openid', { mapping_id: 'm' });
  return domain as string;
}

/** Signs in by a header Authorization. */
export const federated = (
  world: World,
  authorization: string | undefined,
  path = 'identity_providers/partner/protocols/openid/auth',
) =>
  ask(world, 'POST', `${root}/${path}`, {
    token: null,
    ...(authorization === undefined ? {} : { headers: { authorization } }),
  });
