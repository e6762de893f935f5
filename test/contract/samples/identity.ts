// Sample requests for Identity.
import type { Client } from '../../support/raw.ts';
import { authBody, ids } from '../../services/identity/support.ts';
import { delegationSamples } from './identity-delegation.ts';
import { federationSamples } from './identity-federation.ts';
import { filterSamples } from './identity-filters.ts';
import { oauthSamples } from './identity-oauth.ts';
import { samlSamples } from './identity-saml.ts';
import type { Sample, Sampled, Samples } from './model.ts';

export const identitySamples: Sampled = {
  service: 'identity',
  config: {},
  prepare: async (client) => {
    const token = await signIn(client);
    return { token, samples: samplesFor(client, token) };
  },
};

async function signIn(client: Client): Promise<string> {
  const reply = await client.ask('identity', 'POST', '/identity/v3/auth/tokens', {
    token: null,
    body: authBody(),
  });
  return reply.headers['x-subject-token'] as string;
}

type Make = (noun: string, fields: object, at?: string) => Promise<string>;
type Arrange = () => Promise<Sample>;

function samplesFor(client: Client, token: string): Samples {
  let count = 0;
  const fresh = (noun: string): string => `${noun}-${++count}`;
  const ask = (method: string, path: string, body?: unknown, headers?: Sample['headers']) =>
    client.ask('identity', method, `/identity/v3${path}`, {
      token,
      ...(headers ? { headers } : {}),
      ...(body === undefined ? {} : { body }),
    });
  const make: Make = async (noun, fields, at = `/${noun}s`) => {
    const reply = await ask('POST', at, { [noun]: fields });
    if (reply.status !== 201) throw new Error(`POST ${at}: ${reply.status} ${reply.text}`);
    return (reply.body as Record<string, { id: string }>)[noun]!.id;
  };
  const must = async (method: string, path: string): Promise<void> => {
    const reply = await ask(method, path);
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
  };

  // Hashing a password takes longer than the rest of a request, so few users have one.
  const user = (fields: object = {}): Promise<string> =>
    make('user', { name: fresh('user'), ...fields });
  const group = (): Promise<string> => make('group', { name: fresh('group') });
  const project = (): Promise<string> =>
    make('project', { name: fresh('project'), tags: ['blue'] });
  const domain = (): Promise<string> => make('domain', { name: fresh('domain'), enabled: false });
  const role = (): Promise<string> => make('role', { name: fresh('role') });
  const service = (): Promise<string> => make('service', { type: 'test', name: fresh('service') });
  const region = (): Promise<string> => make('region', { id: fresh('region') });
  const endpointFields = async (): Promise<object> => ({
    interface: 'public',
    url: 'http://test/',
    service_id: await service(),
    region_id: 'RegionOne',
  });
  const endpoint = async (): Promise<string> => make('endpoint', await endpointFields());
  const credentialFields = {
    type: 'cert',
    blob: '{}',
    user_id: ids.admin,
    project_id: ids.adminProject,
  };
  const credential = (): Promise<string> => make('credential', credentialFields);
  const own = `/users/${ids.admin}/application_credentials`;
  const rules = (): object[] => [
    { service: 'compute', method: 'GET', path: `/v2.1/${fresh('servers')}` },
  ];
  const applicationCredential = (): Promise<string> =>
    make('application_credential', { name: fresh('credential'), access_rules: rules() }, own);
  const accessRule = async (): Promise<string> => {
    const id = await applicationCredential();
    const { body } = await ask('GET', `${own}/${id}`);
    await must('DELETE', `${own}/${id}`);
    return (body as { application_credential: { access_rules: { id: string }[] } })
      .application_credential.access_rules[0]!.id;
  };

  const resources = { user, group, project, domain, role, service, region, endpoint, credential };
  const bodies: Record<keyof typeof resources, () => Promise<object> | object> = {
    user: () => ({
      name: fresh('user'),
      enabled: true,
      email: 'a@b',
      description: 'd',
      domain_id: 'default',
      default_project_id: ids.demoProject,
      options: {},
    }),
    group: () => ({ name: fresh('group'), description: 'd', domain_id: 'default' }),
    project: () => ({
      name: fresh('project'),
      description: 'd',
      domain_id: 'default',
      parent_id: 'default',
      enabled: true,
      is_domain: false,
      tags: ['a'],
      options: {},
    }),
    domain: () => ({ name: fresh('domain'), description: 'd', enabled: false, options: {} }),
    role: () => ({ name: fresh('role'), description: 'd', options: {} }),
    service: () => ({ type: 'test', name: fresh('service'), description: 'd', enabled: true }),
    region: () => ({ id: fresh('region'), description: 'd', parent_region_id: 'RegionOne' }),
    endpoint: endpointFields,
    credential: () => credentialFields,
  };
  const changes: Record<keyof typeof resources, object> = {
    user: { name: 'renamed', description: 'd', enabled: false },
    group: { name: 'renamed', description: 'd' },
    project: { name: 'renamed', description: 'd', enabled: false, tags: ['b'] },
    domain: { name: 'renamed', description: 'd' },
    role: { name: 'renamed', description: 'd' },
    service: { type: 'other', name: 'renamed', enabled: false },
    region: { description: 'changed' },
    endpoint: { url: 'http://other/', enabled: false, interface: 'internal' },
    credential: { blob: '{"a":1}', type: 'cert' },
  };

  const samples: Record<string, Samples[string]> = {};
  for (const noun of Object.keys(resources) as (keyof typeof resources)[]) {
    const one: Arrange = async () => ({ params: { [`${noun}_id`]: await resources[noun]() } });
    for (const verb of ['list', 'check_list'])
      samples[`${noun}s:${verb}`] = () => ({ query: 'name=a' });
    for (const verb of ['show', 'check', 'delete']) samples[`${noun}s:${verb}`] = one;
    samples[`${noun}s:create`] = async () => ({ body: { [noun]: await bodies[noun]() } });
    samples[`${noun}s:update`] = async () => ({
      ...(await one()),
      body: { [noun]: changes[noun] },
    });
  }
  for (const verb of ['list', 'check_list']) samples[`regions:${verb}`] = () => ({});
  samples['regions:create_by_id'] = () => ({
    params: { region_id: fresh('region') },
    body: { region: { description: 'd' } },
  });

  const nothing = (): Sample => ({});
  const subject: Arrange = async () => ({ headers: { 'x-subject-token': await signIn(client) } });
  const ofUser = (): Sample => ({ params: { user_id: ids.admin } });
  const password: Arrange = async () => ({
    params: { user_id: await user({ password: 'pw' }) },
    body: { user: { original_password: 'pw', password: 'new' } },
  });
  const ownOne: Arrange = async () => ({
    params: { user_id: ids.admin, application_credential_id: await applicationCredential() },
  });
  const ownRule: Arrange = async () => ({
    params: { user_id: ids.admin, access_rule_id: await accessRule() },
  });
  const tagged: Arrange = async () => ({ params: { project_id: await project(), value: 'blue' } });
  const applicationCredentialBody = (): Sample => ({
    ...ofUser(),
    body: {
      application_credential: {
        name: fresh('credential'),
        secret: 's',
        description: 'd',
        expires_at: '2030-01-01T00:00:00Z',
        roles: [{ name: 'admin' }],
        unrestricted: false,
        access_rules: rules(),
      },
    },
  });
  const member: Arrange = async () => {
    const params = { group_id: await group(), user_id: ids.demo };
    await must('PUT', `/groups/${params.group_id}/users/${params.user_id}`);
    return { params };
  };
  const implied: Arrange = async () => {
    const params = { prior_role_id: await role(), implied_role_id: ids.role('reader') };
    await must('PUT', `/roles/${params.prior_role_id}/implies/${params.implied_role_id}`);
    return { params };
  };
  Object.assign(samples, {
    'versions:list': nothing,
    'versions:check_list': nothing,
    'versions:show': nothing,
    'versions:check': nothing,
    'auth_tokens:create': () => ({ body: authBody() }),
    'auth_tokens:show': subject,
    'auth_tokens:check': subject,
    'auth_tokens:delete': subject,
    'revocation_events:list': () => ({ query: 'since=2026-01-01T00:00:00Z' }),
    'revocation_events:check_list': nothing,
    'users:change_password': password,
    'application_credentials:create': applicationCredentialBody,
    'application_credentials:show': ownOne,
    'application_credentials:check': ownOne,
    'application_credentials:delete': ownOne,
    'access_rules:show': ownRule,
    'access_rules:check': ownRule,
    'access_rules:delete': ownRule,
    'project_tags:update': async () => ({ ...(await tagged()), body: { tags: ['red', 'green'] } }),
    'group_users:create': member,
    'group_users:show': member,
    'group_users:check': member,
    'group_users:delete': member,
    'implied_roles:create': async () => ({
      params: { prior_role_id: await role(), implied_role_id: ids.role('reader') },
    }),
    'implied_roles:show': implied,
    'implied_roles:check': implied,
    'implied_roles:delete': implied,
    'oauth2_tokens:create': async () => {
      const name = fresh('credential');
      const { body } = await ask('POST', own, { application_credential: { name } });
      const { id, secret } = (body as { application_credential: Record<string, string> })
        .application_credential;
      return {
        body: `grant_type=client_credentials&client_id=${id}&client_secret=${secret}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      };
    },
    'role_inferences:list': nothing,
    'role_inferences:check_list': nothing,
    'role_assignments:list': () => ({ query: `user.id=${ids.admin}&effective&include_names` }),
    'role_assignments:check': nothing,
  });
  for (const verb of ['show', 'list', 'check'])
    for (const noun of ['catalog', 'projects', 'domains', 'system'])
      samples[`auth_${noun}:${verb}`] = nothing;
  for (const verb of ['list', 'check_list']) {
    for (const noun of ['user_groups', 'user_projects', 'application_credentials', 'access_rules'])
      samples[`${noun}:${verb}`] = ofUser;
    samples[`group_users:${verb}`] = async () => ({ params: { group_id: await group() } });
    samples[`implied_roles:${verb}`] = () => ({ params: { prior_role_id: ids.role('admin') } });
    samples[`project_tags:${verb}`] = tagged;
  }
  const tools = { ask, make, must, fresh, project, endpoint, service, domain };
  Object.assign(samples, delegationSamples(tools), filterSamples(tools), oauthSamples(tools));
  Object.assign(samples, federationSamples(tools, client), samlSamples(tools, client));
  samples['project_tags:delete'] = tagged;
  for (const verb of ['show', 'check', 'delete']) samples[`project_tag:${verb}`] = tagged;
  samples['project_tag:create'] = async () => ({
    params: { project_id: await project(), value: 'green' },
  });
  for (const verb of ['show', 'check', 'create', 'delete', 'list', 'check_list'])
    addGrants(samples, verb, { must, user, group });
  return samples;
}

/** Adds direct and inherited grants of a user and a group on a project, a domain and the system. */
function addGrants(
  samples: Record<string, Samples[string]>,
  verb: string,
  {
    must,
    user,
    group,
  }: {
    must: (method: string, path: string) => Promise<void>;
    user: () => Promise<string>;
    group: () => Promise<string>;
  },
): void {
  const targets = {
    project: ['projects', ids.demoProject],
    domain: ['domains', 'default'],
    system: ['system', ''],
  } as const;
  for (const [target, [folder, id]] of Object.entries(targets)) {
    for (const [actor, makeActor] of Object.entries({ user, group })) {
      for (const inherited of target === 'system' ? [false] : [false, true]) {
        samples[`${target}_${actor}_${inherited ? 'inherited_' : ''}grants:${verb}`] = async () => {
          const actorId = await makeActor();
          const params = {
            ...(id ? { [`${target}_id`]: id } : {}),
            [`${actor}_id`]: actorId,
            role_id: ids.role('member'),
          };
          const [prefix, suffix] = inherited ? ['/OS-INHERIT', '/inherited_to_projects'] : ['', ''];
          const on = `${folder}${id ? `/${id}` : ''}`;
          const grant = `${on}/${actor}s/${actorId}/roles/${params.role_id}`;
          const path = `${prefix}/${grant}${suffix}`;
          if (verb !== 'create') await must('PUT', path);
          return { params };
        };
      }
    }
  }
}
