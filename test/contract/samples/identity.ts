// Sample requests of identity.
import type { Client } from '../../support/raw.ts';
import { signatureOf } from '../../../src/services/identity/domain/ec2-signatures.ts';
import { authBody, ids } from '../../services/identity/support.ts';
import type { Sample, Sampled, Samples } from './index.ts';

export const identitySamples: Sampled = {
  service: 'identity',
  config: {},
  prepare: async (client) => {
    const token = await signIn(client);
    return { token, samples: samplesFor(client, token) };
  },
};

async function signIn(client: Client): Promise<string> {
  const reply = await client.ask('identity', 'POST', '/identity/v3/auth/tokens', { token: null, body: authBody() });
  return reply.headers['x-subject-token'] as string;
}

type Make = (noun: string, fields: object, at?: string) => Promise<string>;
type Arrange = () => Promise<Sample>;

function samplesFor(client: Client, token: string): Samples {
  let count = 0;
  const fresh = (noun: string): string => `${noun}-${++count}`;
  const ask = (method: string, path: string, body?: unknown) =>
    client.ask('identity', method, `/identity/v3${path}`, { token, ...(body === undefined ? {} : { body }) });
  const make: Make = async (noun, fields, at = `/${noun}s`) => {
    const reply = await ask('POST', at, { [noun]: fields });
    if (reply.status !== 201) throw new Error(`POST ${at}: ${reply.status} ${reply.text}`);
    return (reply.body as Record<string, { id: string }>)[noun]!.id;
  };
  const must = async (method: string, path: string): Promise<void> => {
    const reply = await ask(method, path);
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
  };

  // A password takes longer to hash than all the rest of a request, so few have one.
  const user = (fields: object = {}): Promise<string> => make('user', { name: fresh('user'), ...fields });
  const group = (): Promise<string> => make('group', { name: fresh('group') });
  const project = (): Promise<string> => make('project', { name: fresh('project'), tags: ['blue'] });
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
  const credentialFields = { type: 'cert', blob: '{}', user_id: ids.admin, project_id: ids.adminProject };
  const credential = (): Promise<string> => make('credential', credentialFields);
  const own = `/users/${ids.admin}/application_credentials`;
  const rules = (): object[] => [{ service: 'compute', method: 'GET', path: `/v2.1/${fresh('servers')}` }];
  const applicationCredential = (): Promise<string> =>
    make('application_credential', { name: fresh('credential'), access_rules: rules() }, own);
  const accessRule = async (): Promise<string> => {
    const id = await applicationCredential();
    const { body } = await ask('GET', `${own}/${id}`);
    await must('DELETE', `${own}/${id}`);
    return (body as { application_credential: { access_rules: { id: string }[] } }).application_credential.access_rules[0]!.id;
  };

  const trustFields = (): object => ({
    trustor_user_id: ids.admin,
    trustee_user_id: ids.demo,
    impersonation: true,
    project_id: ids.adminProject,
    roles: [{ name: 'member' }],
  });
  const trust = (): Promise<string> => make('trust', trustFields(), '/OS-TRUST/trusts');
  const ec2 = async (): Promise<{ access: string; secret: string }> => {
    const reply = await ask('POST', `/users/${ids.admin}/credentials/OS-EC2`, { tenant_id: ids.adminProject });
    return (reply.body as { credential: { access: string; secret: string } }).credential;
  };

  const endpointGroupFields = (): object => ({ name: fresh('group'), description: 'd', filters: { interface: 'admin' } });
  const endpointGroup = (): Promise<string> => make('endpoint_group', endpointGroupFields(), '/OS-EP-FILTER/endpoint_groups');
  const policy = (): Promise<string> => make('policy', { type: 'test', blob: '{}' }, '/policies');
  const config = { ldap: { url: 'ldap://test', password: 'pw' } };
  const configured = async (): Promise<string> => {
    const id = await domain();
    await ask('PUT', `/domains/${id}/config`, { config });
    return id;
  };
  const registeredFields = async (): Promise<object> => ({
    service_id: await service(),
    region_id: 'RegionOne',
    resource_name: fresh('resource'),
    default_limit: 10,
    description: 'd',
  });
  const several = async (noun: string, fields: object): Promise<string> => {
    const reply = await ask('POST', `/${noun}s`, { [`${noun}s`]: [fields] });
    return (reply.body as Record<string, { id: string }[]>)[`${noun}s`]![0]!.id;
  };
  const limitFields = async (): Promise<object> => {
    const fields = { service_id: await service(), region_id: 'RegionOne', resource_name: fresh('resource'), description: 'd' };
    await several('registered_limit', { ...fields, default_limit: 1 });
    return { ...fields, project_id: ids.demoProject, resource_limit: 5 };
  };

  const things = { user, group, project, domain, role, service, region, endpoint, credential };
  const bodies: Record<keyof typeof things, () => Promise<object> | object> = {
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
  const changes: Record<keyof typeof things, object> = {
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
  for (const noun of Object.keys(things) as (keyof typeof things)[]) {
    const one: Arrange = async () => ({ params: { [`${noun}_id`]: await things[noun]() } });
    for (const verb of ['list', 'check_list']) samples[`${noun}s:${verb}`] = () => ({ query: 'name=a' });
    for (const verb of ['show', 'check', 'delete']) samples[`${noun}s:${verb}`] = one;
    samples[`${noun}s:create`] = async () => ({ body: { [noun]: await bodies[noun]() } });
    samples[`${noun}s:update`] = async () => ({ ...(await one()), body: { [noun]: changes[noun] } });
  }
  for (const verb of ['list', 'check_list']) samples[`regions:${verb}`] = () => ({});
  samples['regions:create_by_id'] = () => ({ params: { region_id: fresh('region') }, body: { region: { description: 'd' } } });

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
  const ownRule: Arrange = async () => ({ params: { user_id: ids.admin, access_rule_id: await accessRule() } });
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
  const ec2One: Arrange = async () => ({ params: { user_id: ids.admin, credential_id: (await ec2()).access } });
  const ec2Signed: Arrange = async () => {
    const { access, secret } = await ec2();
    const request = { verb: 'GET', host: 'ec2:8773', path: '/', params: { SignatureVersion: '2', AWSAccessKeyId: access } };
    const signature = signatureOf({ ...request, headers: {}, bodyHash: '' }, secret);
    return { body: { credentials: { ...request, access, signature } } };
  };
  const oneTrust: Arrange = async () => ({ params: { trust_id: await trust() } });
  const trustRole: Arrange = async () => ({ params: { trust_id: await trust(), role_id: ids.role('member') } });
  const trustBody = (): Sample => ({
    body: { trust: { ...trustFields(), expires_at: '2030-01-01T00:00:00Z', allow_redelegation: true, redelegation_count: 2 } },
  });
  const oneGroup: Arrange = async () => ({ params: { endpoint_group_id: await endpointGroup() } });
  const groupOf = async (given: boolean): Promise<Sample> => {
    const params = { endpoint_group_id: await endpointGroup(), project_id: await project() };
    if (given) await must('PUT', `/OS-EP-FILTER/endpoint_groups/${params.endpoint_group_id}/projects/${params.project_id}`);
    return { params };
  };
  const endpointOf = async (given: boolean): Promise<Sample> => {
    const params = { endpoint_id: await endpoint(), project_id: await project() };
    if (given) await must('PUT', `/OS-EP-FILTER/projects/${params.project_id}/endpoints/${params.endpoint_id}`);
    return { params };
  };
  const onePolicy: Arrange = async () => ({ params: { policy_id: await policy() } });
  const associated = async (given: boolean): Promise<Record<string, string>> => {
    const params = {
      policy_id: await policy(),
      endpoint_id: await endpoint(),
      service_id: await service(),
      region_id: 'RegionOne',
    };
    const base = `/policies/${params.policy_id}/OS-ENDPOINT-POLICY`;
    const service_path = `${base}/services/${params.service_id}`;
    const paths = [`${base}/endpoints/${params.endpoint_id}`, service_path, `${service_path}/regions/RegionOne`];
    for (const path of given ? paths : []) await must('PUT', path);
    return params;
  };
  const ofConfig: Arrange = async () => ({ params: { domain_id: await configured(), group: 'ldap', option: 'url' } });
  const ofDefault = (): Sample => ({ params: { group: 'ldap', option: 'url' } });
  const oneRegistered: Arrange = async () => ({
    params: { registered_limit_id: await several('registered_limit', await registeredFields()) },
  });
  const oneLimit: Arrange = async () => ({ params: { limit_id: await several('limit', await limitFields()) } });
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
    'users:change_password': password,
    'application_credentials:create': applicationCredentialBody,
    'application_credentials:show': ownOne,
    'application_credentials:check': ownOne,
    'application_credentials:delete': ownOne,
    'access_rules:show': ownRule,
    'access_rules:check': ownRule,
    'access_rules:delete': ownRule,
    'endpoint_groups:list': () => ({ query: 'name=a' }),
    'endpoint_groups:check_list': nothing,
    'endpoint_groups:create': () => ({ body: { endpoint_group: endpointGroupFields() } }),
    'endpoint_groups:update': async () => ({ ...(await oneGroup()), body: { endpoint_group: { name: 'renamed', filters: {} } } }),
    'endpoint_group_projects:create': () => groupOf(false),
    'endpoint_group_projects:show': () => groupOf(true),
    'endpoint_group_projects:check': () => groupOf(true),
    'endpoint_group_projects:delete': () => groupOf(true),
    'project_endpoints:create': () => endpointOf(false),
    'project_endpoints:show': () => endpointOf(true),
    'project_endpoints:check': () => endpointOf(true),
    'project_endpoints:delete': () => endpointOf(true),
    'policies:list': () => ({ query: 'type=a' }),
    'policies:check_list': nothing,
    'policies:create': () => ({ body: { policy: { type: 'test', blob: '{}' } } }),
    'policies:update': async () => ({ ...(await onePolicy()), body: { policy: { type: 'other', blob: '[]' } } }),
    'domain_config:create': async () => ({ params: { domain_id: await domain() }, body: { config } }),
    'domain_config:update': async () => ({ ...(await ofConfig()), body: { config } }),
    'domain_config_group:update': async () => ({ ...(await ofConfig()), body: { config } }),
    'domain_config_option:update': async () => ({ ...(await ofConfig()), body: { config: { url: 'other' } } }),
    'registered_limits:create': async () => ({ body: { registered_limits: [await registeredFields()] } }),
    'registered_limits:update': async () => ({
      ...(await oneRegistered()),
      body: { registered_limit: { ...(await registeredFields()), default_limit: 4 } },
    }),
    'limits:create': async () => ({ body: { limits: [await limitFields()] } }),
    'limits:update': async () => ({ ...(await oneLimit()), body: { limit: { resource_limit: 3, description: 'e' } } }),
    'limit_model:show': nothing,
    'limit_model:check': nothing,
    'ec2_credentials:create': () => ({ ...ofUser(), body: { tenant_id: ids.adminProject } }),
    'ec2_credentials:show': ec2One,
    'ec2_credentials:check': ec2One,
    'ec2_credentials:delete': ec2One,
    'ec2_tokens:create': ec2Signed,
    'trusts:list': () => ({ query: `trustor_user_id=${ids.admin}` }),
    'trusts:check_list': nothing,
    'trusts:create': trustBody,
    'trusts:show': oneTrust,
    'trusts:check': oneTrust,
    'trusts:delete': oneTrust,
    'trust_roles:list': oneTrust,
    'trust_roles:check_list': oneTrust,
    'trust_roles:show': trustRole,
    'trust_roles:check': trustRole,
    'project_tags:update': async () => ({ ...(await tagged()), body: { tags: ['red', 'green'] } }),
    'group_users:create': member,
    'group_users:show': member,
    'group_users:check': member,
    'group_users:delete': member,
    'implied_roles:create': async () => ({ params: { prior_role_id: await role(), implied_role_id: ids.role('reader') } }),
    'implied_roles:show': implied,
    'implied_roles:check': implied,
    'implied_roles:delete': implied,
    'role_inferences:list': nothing,
    'role_inferences:check_list': nothing,
    'role_assignments:list': () => ({ query: `user.id=${ids.admin}&effective&include_names` }),
    'role_assignments:check': nothing,
  });
  for (const verb of ['show', 'list', 'check'])
    for (const noun of ['catalog', 'projects', 'domains', 'system']) samples[`auth_${noun}:${verb}`] = nothing;
  for (const verb of ['list', 'check_list']) {
    for (const noun of ['user_groups', 'user_projects', 'application_credentials', 'access_rules', 'ec2_credentials'])
      samples[`${noun}:${verb}`] = ofUser;
    samples[`group_users:${verb}`] = async () => ({ params: { group_id: await group() } });
    samples[`implied_roles:${verb}`] = () => ({ params: { prior_role_id: ids.role('admin') } });
    samples[`project_tags:${verb}`] = tagged;
  }
  for (const verb of ['show', 'check', 'delete']) {
    samples[`endpoint_groups:${verb}`] = oneGroup;
    samples[`policies:${verb}`] = onePolicy;
    samples[`registered_limits:${verb}`] = oneRegistered;
    samples[`limits:${verb}`] = oneLimit;
    for (const noun of ['config', 'config_group', 'config_option']) {
      samples[`domain_${noun}:${verb}`] = ofConfig;
      if (verb !== 'delete') samples[`default_domain_${noun}:${verb}`] = ofDefault;
    }
  }
  for (const verb of ['show', 'check', 'delete', 'create'])
    for (const noun of ['endpoint', 'service', 'region'])
      samples[`policy_${noun}_associations:${verb}`] = async () => ({ params: await associated(verb !== 'create') });
  for (const verb of ['show', 'check']) samples[`endpoint_policy:${verb}`] = async () => ({ params: await associated(true) });
  for (const verb of ['list', 'check_list']) {
    for (const noun of ['endpoints', 'projects']) samples[`endpoint_group_${noun}:${verb}`] = () => groupOf(true);
    samples[`project_endpoint_groups:${verb}`] = () => groupOf(true);
    samples[`endpoint_projects:${verb}`] = () => endpointOf(true);
    samples[`project_endpoints:${verb}`] = () => endpointOf(true);
    samples[`policy_endpoints:${verb}`] = async () => ({ params: await associated(true) });
    samples[`registered_limits:${verb}`] = () => ({ query: 'resource_name=a' });
    samples[`limits:${verb}`] = () => ({ query: 'resource_name=a' });
  }
  samples['project_tags:delete'] = tagged;
  for (const verb of ['show', 'check', 'delete']) samples[`project_tag:${verb}`] = tagged;
  samples['project_tag:create'] = async () => ({ params: { project_id: await project(), value: 'green' } });
  for (const verb of ['show', 'check', 'create', 'delete', 'list', 'check_list']) addGrants(samples, verb, { must, user, group });
  return samples;
}

/** Grants on a project, a domain and the system, to a user and a group, inherited and not. */
function addGrants(
  samples: Record<string, Samples[string]>,
  verb: string,
  {
    must,
    user,
    group,
  }: { must: (method: string, path: string) => Promise<void>; user: () => Promise<string>; group: () => Promise<string> },
): void {
  const places = { project: ['projects', ids.demoProject], domain: ['domains', 'default'], system: ['system', ''] } as const;
  for (const [place, [folder, id]] of Object.entries(places)) {
    for (const [actor, makeActor] of Object.entries({ user, group })) {
      for (const inherited of place === 'system' ? [false] : [false, true]) {
        samples[`${place}_${actor}_${inherited ? 'inherited_' : ''}grants:${verb}`] = async () => {
          const actorId = await makeActor();
          const params = { ...(id ? { [`${place}_id`]: id } : {}), [`${actor}_id`]: actorId, role_id: ids.role('member') };
          const path = `${inherited ? '/OS-INHERIT' : ''}/${folder}${id ? `/${id}` : ''}/${actor}s/${actorId}/roles/${params.role_id}${inherited ? '/inherited_to_projects' : ''}`;
          if (verb !== 'create') await must('PUT', path);
          return { params };
        };
      }
    }
  }
}
