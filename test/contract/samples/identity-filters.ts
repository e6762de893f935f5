// Sample requests for Identity's endpoint filters, policies, domain configurations and limits.
import { ids } from '../../services/identity/support.ts';
import type { Tools } from './identity-delegation.ts';
import type { Sample, Samples } from './model.ts';

type Arrange = () => Promise<Sample>;

/** The samples, by operationId. */
export function filterSamples({
  ask,
  make,
  must,
  fresh,
  project,
  endpoint,
  service,
  domain,
}: Tools): Samples {
  const endpointGroupFields = (): object => ({
    name: fresh('group'),
    description: 'd',
    filters: { interface: 'admin' },
  });
  const endpointGroup = (): Promise<string> =>
    make('endpoint_group', endpointGroupFields(), '/OS-EP-FILTER/endpoint_groups');
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
    const fields = {
      service_id: await service(),
      region_id: 'RegionOne',
      resource_name: fresh('resource'),
      description: 'd',
    };
    await several('registered_limit', { ...fields, default_limit: 1 });
    return { ...fields, project_id: ids.demoProject, resource_limit: 5 };
  };
  const oneGroup: Arrange = async () => ({ params: { endpoint_group_id: await endpointGroup() } });
  const groupOf = async (given: boolean): Promise<Sample> => {
    const params = { endpoint_group_id: await endpointGroup(), project_id: await project() };
    if (given)
      await must(
        'PUT',
        `/OS-EP-FILTER/endpoint_groups/${params.endpoint_group_id}/projects/${params.project_id}`,
      );
    return { params };
  };
  const endpointOf = async (given: boolean): Promise<Sample> => {
    const params = { endpoint_id: await endpoint(), project_id: await project() };
    if (given)
      await must(
        'PUT',
        `/OS-EP-FILTER/projects/${params.project_id}/endpoints/${params.endpoint_id}`,
      );
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
    const servicePath = `${base}/services/${params.service_id}`;
    const paths = [
      `${base}/endpoints/${params.endpoint_id}`,
      servicePath,
      `${servicePath}/regions/RegionOne`,
    ];
    for (const path of given ? paths : []) await must('PUT', path);
    return params;
  };
  const ofConfig: Arrange = async () => ({
    params: { domain_id: await configured(), group: 'ldap', option: 'url' },
  });
  const ofDefault = (): Sample => ({ params: { group: 'ldap', option: 'url' } });
  const oneRegistered: Arrange = async () => ({
    params: { registered_limit_id: await several('registered_limit', await registeredFields()) },
  });
  const oneLimit: Arrange = async () => ({
    params: { limit_id: await several('limit', await limitFields()) },
  });
  const nothing = (): Sample => ({});
  const samples: Record<string, Samples[string]> = {
    'endpoint_groups:list': () => ({ query: 'name=a' }),
    'endpoint_groups:check_list': nothing,
    'endpoint_groups:create': () => ({ body: { endpoint_group: endpointGroupFields() } }),
    'endpoint_groups:update': async () => ({
      ...(await oneGroup()),
      body: { endpoint_group: { name: 'renamed', filters: {} } },
    }),
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
    'policies:update': async () => ({
      ...(await onePolicy()),
      body: { policy: { type: 'other', blob: '[]' } },
    }),
    'domain_config:create': async () => ({
      params: { domain_id: await domain() },
      body: { config },
    }),
    'domain_config:update': async () => ({ ...(await ofConfig()), body: { config } }),
    'domain_config_group:update': async () => ({ ...(await ofConfig()), body: { config } }),
    'domain_config_option:update': async () => ({
      ...(await ofConfig()),
      body: { config: { url: 'other' } },
    }),
    'registered_limits:create': async () => ({
      body: { registered_limits: [await registeredFields()] },
    }),
    'registered_limits:update': async () => ({
      ...(await oneRegistered()),
      body: { registered_limit: { ...(await registeredFields()), default_limit: 4 } },
    }),
    'limits:create': async () => ({ body: { limits: [await limitFields()] } }),
    'limits:update': async () => ({
      ...(await oneLimit()),
      body: { limit: { resource_limit: 3, description: 'e' } },
    }),
    'limit_model:show': nothing,
    'limit_model:check': nothing,
  };
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
      samples[`policy_${noun}_associations:${verb}`] = async () => ({
        params: await associated(verb !== 'create'),
      });
  for (const verb of ['show', 'check'])
    samples[`endpoint_policy:${verb}`] = async () => ({ params: await associated(true) });
  for (const verb of ['list', 'check_list']) {
    for (const noun of ['endpoints', 'projects'])
      samples[`endpoint_group_${noun}:${verb}`] = () => groupOf(true);
    samples[`project_endpoint_groups:${verb}`] = () => groupOf(true);
    samples[`endpoint_projects:${verb}`] = () => endpointOf(true);
    samples[`project_endpoints:${verb}`] = () => endpointOf(true);
    samples[`policy_endpoints:${verb}`] = async () => ({ params: await associated(true) });
    samples[`registered_limits:${verb}`] = () => ({ query: 'resource_name=a' });
    samples[`limits:${verb}`] = () => ({ query: 'resource_name=a' });
  }
  return samples;
}
