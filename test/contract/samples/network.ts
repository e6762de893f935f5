// Sample requests of Network.
import type { Client } from '../../support/raw.ts';
import type { Sample, Sampled, Samples } from './model.ts';
import { forwardingSamples, type Body, type Make, type Put } from './network-forwarding.ts';
import { qosSamples } from './network-qos.ts';
import {
  serviceResources,
  serviceSamples,
  type ResourceSample,
  type Resources,
} from './network-services.ts';

export const networkSamples: Sampled = {
  service: 'network',
  config: { auth: 'noauth2' },
  prepare: async (client) => {
    const quota = {
      network: -1,
      subnet: -1,
      subnetpool: -1,
      port: -1,
      router: -1,
      floatingip: -1,
      security_group: -1,
      security_group_rule: -1,
      rbac_policy: -1,
      trunk: -1,
    };
    await client.ask('network', 'PUT', '/network/v2.0/quotas/admin', { body: { quota } });
    return { token: 'admin', samples: samplesFor(client) };
  },
};

const pluralOf = (noun: string): string => `${noun}s`.replace(/ys$/, 'ies');

/** The paths of collections, below `/network/v2.0/`, that are not made from the noun. */
const paths: Readonly<Record<string, string>> = {
  qos_policy: 'qos/policies',
  service_profile: 'service_profiles',
  metering_label: 'metering/metering-labels',
  metering_label_rule: 'metering/metering-label-rules',
};

const pathOf = (noun: string): string => paths[noun] ?? pluralOf(noun).replaceAll('_', '-');

/** The key of bodies. */
const keyOf = (noun: string): string => noun.replace('qos_', '');

function samplesFor(client: Client): Samples {
  let count = 0;
  const make: Make = async (noun, fields) => {
    const reply = await client.ask('network', 'POST', `/network/v2.0/${pathOf(noun)}`, {
      body: { [keyOf(noun)]: fields },
    });
    if (reply.status !== 201) throw new Error(`POST ${noun}: ${reply.status} ${reply.text}`);
    return (reply.body as Record<string, Body & { id: string }>)[keyOf(noun)]!;
  };
  const put: Put = async (path, body) => {
    const reply = await client.ask('network', 'PUT', `/network/v2.0${path}`, { body });
    if (reply.status !== 200) throw new Error(`PUT ${path}: ${reply.status} ${reply.text}`);
  };
  const resources = resourcesFor(make, () => ++count);
  const samples: Record<string, () => Promise<Sample>> = {};
  for (const [noun, resource] of Object.entries(resources))
    Object.assign(samples, samplesOf(noun, resource, make, put));
  return {
    ...samples,
    ...interfaces(make, put, resources),
    ...bindings(client, make, resources),
    ...forwardingSamples(client, make, put),
    ...agents(client, make, resources),
    ...qosSamples(client, async () => (await make('qos_policy', {})).id),
    ...serviceSamples(client, make),
    ...others(make, put),
  };
}

function resourcesFor(make: Make, next: () => number): Resources {
  const network = (more: object = {}): Promise<Body & { id: string }> =>
    make('network', { name: 'n', ...more });
  const subnetFields = async (): Promise<object> => ({
    network_id: (await network()).id,
    name: 's',
    cidr: `10.${100 + (next() % 100)}.${next() % 250}.0/24`,
    ip_version: 4,
    enable_dhcp: true,
    segment_id: null,
    dns_nameservers: ['8.8.8.8'],
    host_routes: [{ destination: '10.99.0.0/16', nexthop: '10.0.0.1' }],
  });
  const externalNetwork = async (): Promise<string> => {
    const { id } = await network({ 'router:external': true });
    await make('subnet', {
      network_id: id,
      cidr: `172.${16 + (next() % 10)}.${next() % 250}.0/24`,
      ip_version: 4,
    });
    return id;
  };
  return {
    network: {
      fields: () => ({
        name: 'n',
        description: 'd',
        admin_state_up: true,
        shared: false,
        mtu: 1400,
        port_security_enabled: true,
        'router:external': false,
        is_default: false,
        availability_zone_hints: ['nova'],
      }),
      changes: {
        name: 'm',
        description: 'e',
        admin_state_up: false,
        mtu: 1300,
        shared: true,
        is_default: false,
        port_security_enabled: false,
      },
    },
    subnet: {
      fields: subnetFields,
      changes: {
        name: 't',
        description: 'e',
        enable_dhcp: false,
        dns_nameservers: ['9.9.9.9'],
        host_routes: [],
      },
    },
    address_scope: {
      fields: () => ({ name: 's', shared: false, ip_version: 4 }),
      changes: { name: 't', shared: true },
    },
    address_group: {
      fields: () => ({ name: 'g', description: 'd', addresses: ['192.0.2.0/24'] }),
      changes: { name: 'h', description: 'e' },
    },
    ...serviceResources(make, next),
    qos_policy: {
      fields: () => ({ name: 'q', description: 'd', shared: false, is_default: false }),
      changes: { name: 'r', description: 'e', shared: true },
    },
    rbac_policy: {
      fields: async () => ({
        object_type: 'network',
        object_id: (await network()).id,
        action: 'access_as_shared',
        target_tenant: '5f2f0b1e3c4d4e5f8a9b0c1d2e3f4a5b',
      }),
      changes: { target_tenant: '*' },
    },
    subnetpool: {
      fields: () => ({
        name: 'p',
        description: 'd',
        prefixes: ['10.0.0.0/8'],
        min_prefixlen: 16,
        max_prefixlen: 30,
        default_prefixlen: 24,
        default_quota: 1000000,
        is_default: false,
        shared: false,
      }),
      changes: {
        name: 'q',
        description: 'e',
        prefixes: ['10.0.0.0/7'],
        min_prefixlen: 15,
        default_quota: 2000000,
      },
    },
    port: {
      fields: async () => {
        const subnet = (await make('subnet', await subnetFields())) as {
          id: string;
          network_id: string;
        };
        return {
          network_id: subnet.network_id,
          name: 'p',
          fixed_ips: [{ subnet_id: subnet.id }],
          device_id: 'd',
          device_owner: 'compute:nova',
          tags: ['a'],
          security_groups: [],
          'binding:host_id': 'h',
          'binding:vnic_type': 'normal',
          allowed_address_pairs: [{ ip_address: '10.0.0.9' }],
          extra_dhcp_opts: [{ opt_name: 'mtu', opt_value: '1400', ip_version: 4 }],
        };
      },
      changes: {
        name: 'q',
        admin_state_up: false,
        device_id: '',
        device_owner: '',
        allowed_address_pairs: [],
        extra_dhcp_opts: [{ opt_name: 'mtu', opt_value: null }],
        security_groups: [],
      },
    },
    trunk: {
      fields: async () => ({
        name: 't',
        description: 'd',
        admin_state_up: true,
        port_id: await plainPort(make),
        sub_ports: [await subPort(make)],
      }),
      changes: { name: 'u', description: 'e', admin_state_up: false },
    },
    router: {
      fields: async () => ({
        name: 'r',
        description: 'd',
        admin_state_up: true,
        external_gateway_info: {
          network_id: await externalNetwork(),
          enable_snat: true,
          external_fixed_ips: [],
        },
      }),
      changes: { name: 's', admin_state_up: false, routes: [], external_gateway_info: null },
    },
    floatingip: {
      fields: async () => ({
        floating_network_id: await externalNetwork(),
        description: 'd',
        port_id: null,
        fixed_ip_address: null,
      }),
      changes: { description: 'e', port_id: null },
    },
    security_group: {
      fields: () => ({
        name: `g${next()}`,
        description: 'd',
        stateful: true,
        project_id: `p${next()}`,
      }),
      changes: { name: 'h', description: 'e', stateful: false },
    },
    default_security_group_rule: {
      fields: () => ({
        direction: 'ingress',
        ethertype: 'IPv4',
        protocol: 'tcp',
        port_range_min: next(),
        port_range_max: 65_000,
        remote_ip_prefix: '10.0.0.0/8',
        remote_group_id: null,
        remote_address_group_id: null,
        description: 'd',
        used_in_default_sg: false,
        used_in_non_default_sg: true,
      }),
    },
    security_group_rule: {
      fields: async () => {
        const { id, project_id } = await make('security_group', {
          name: 'g',
          project_id: `p${next()}`,
        });
        return {
          security_group_id: id,
          project_id,
          direction: 'ingress',
          protocol: 'tcp',
          port_range_min: 22,
          port_range_max: 23,
          ethertype: 'IPv4',
          remote_ip_prefix: '10.0.0.0/8',
          description: 'd',
        };
      },
    },
  };
}

/** A port that a trunk can use. */
const plainPort = async (make: Make): Promise<string> =>
  (await make('port', { network_id: (await make('network', {})).id })).id;

const subPort = async (make: Make): Promise<object> => ({
  port_id: await plainPort(make),
  segmentation_type: 'vlan',
  segmentation_id: 5,
});

/** Samples of a resource's five operations, and of those on its tags. */
function samplesOf(
  noun: string,
  { fields, changes }: ResourceSample,
  make: Make,
  put: Put,
): Record<string, () => Promise<Sample>> {
  const created = async (): Promise<{ id: string }> => ({
    id: (await make(noun, await fields())).id,
  });
  const tagged = async (): Promise<{ id: string; tag: string }> => {
    const { id } = await created();
    await put(`/${pathOf(noun)}/${id}/tags`, { tags: ['a'] });
    return { id, tag: 'a' };
  };
  const tags = `${noun}_tags`;
  return {
    [`${pluralOf(noun)}:list`]: () =>
      Promise.resolve({ query: 'limit=2&sort_key=id&sort_dir=asc&fields=id' }),
    [`${pluralOf(noun)}:create`]: async () => ({ body: { [keyOf(noun)]: await fields() } }),
    [`${pluralOf(noun)}:show`]: async () => ({ params: await created() }),
    [`${pluralOf(noun)}:update`]: async () => ({
      params: await created(),
      body: { [keyOf(noun)]: changes },
    }),
    [`${pluralOf(noun)}:delete`]: async () => ({ params: await created() }),
    [`${tags}:list`]: async () => ({ params: await created() }),
    [`${tags}:create`]: async () => ({ params: await created(), body: { tags: ['b'] } }),
    [`${tags}:update`]: async () => ({ params: await created(), body: { tags: ['b', 'c'] } }),
    [`${tags}:clear`]: async () => ({ params: await created() }),
    [`${noun}_tag:create`]: async () => ({ params: { ...(await created()), tag: 'new' } }),
    [`${noun}_tag:show`]: async () => ({ params: await tagged() }),
    [`${noun}_tag:delete`]: async () => ({ params: await tagged() }),
  };
}

function interfaces(
  make: Make,
  put: Put,
  resources: Resources,
): Record<string, () => Promise<Sample>> {
  const subnet = async (): Promise<string> =>
    (await make('subnet', await resources['subnet']!.fields())).id;
  return {
    'router_interfaces:create': async () => ({
      params: { id: (await make('router', {})).id },
      body: { subnet_id: await subnet() },
    }),
    'subnetpool_prefixes:create': async () => ({
      params: { id: (await make('subnetpool', await resources['subnetpool']!.fields())).id },
      body: { prefixes: ['172.16.0.0/12'] },
    }),
    'subnetpool_prefixes:delete': async () => ({
      params: { id: (await make('subnetpool', await resources['subnetpool']!.fields())).id },
      body: { prefixes: ['10.9.0.0/16'] },
    }),
    'subnetpool_subnets:create': async () => {
      const { id } = await make('subnetpool', await resources['subnetpool']!.fields());
      return { params: { id }, body: { network_id: (await make('network', {})).id } };
    },
    'router_extra_routes:create': async () => ({
      params: { id: (await make('router', {})).id },
      body: { router: { routes: [] } },
    }),
    'router_extra_routes:delete': async () => ({
      params: { id: (await make('router', {})).id },
      body: { router: { routes: [{ destination: '10.9.0.0/16', nexthop: '10.0.0.9' }] } },
    }),
    'router_interfaces:delete': async () => {
      const [{ id }, subnet_id] = [await make('router', {}), await subnet()];
      await put(`/routers/${id}/add_router_interface`, { subnet_id });
      return { params: { id }, body: { subnet_id } };
    },
  };
}

function bindings(
  client: Client,
  make: Make,
  resources: Resources,
): Record<string, () => Promise<Sample>> {
  const headers = { 'x-roles': 'admin,service' };
  const port = async (): Promise<{ id: string }> => ({
    id: (await make('port', await resources['port']!.fields())).id,
  });
  const bound = async (): Promise<{ id: string; host: string }> => {
    const { id } = await port();
    const body = { binding: { host: 'h2' } };
    const path = `/network/v2.0/ports/${id}/bindings`;
    await client.ask('network', 'POST', path, { body, headers });
    return { id, host: 'h2' };
  };
  return {
    'port_bindings:list': async () => ({ params: await port(), query: 'fields=host', headers }),
    'port_bindings:create': async () => ({
      params: await port(),
      body: { binding: { host: 'h2', vnic_type: 'normal', profile: { a: 1 } } },
      headers,
    }),
    'port_bindings:show': async () => ({ params: await bound(), headers }),
    'port_bindings:update': async () => ({
      params: await bound(),
      body: { binding: { vnic_type: 'direct', profile: { a: 2 } } },
      headers,
    }),
    'port_bindings:activate': async () => ({ params: await bound(), headers }),
    'port_bindings:delete': async () => ({ params: await bound(), headers }),
  };
}

function agents(
  client: Client,
  make: Make,
  resources: Resources,
): Record<string, () => Promise<Sample>> {
  const agent = async (type: string, more = ''): Promise<string> => {
    const reply = await client.ask(
      'network',
      'GET',
      `/network/v2.0/agents?agent_type=${encodeURIComponent(type)}${more}`,
      {},
    );
    return (reply.body as { agents: { id: string }[] }).agents[0]!.id;
  };
  const dhcp = async (): Promise<{ id: string }> => ({ id: await agent('DHCP agent') });
  const l3 = async (): Promise<{ id: string }> => ({ id: await agent('L3 agent') });
  const subnet = () => resources['subnet']!.fields();
  const networkWithDhcp = async (): Promise<string> =>
    (await make('subnet', await subnet()))['network_id'] as string;
  return {
    'agents:list': () => Promise.resolve({ query: 'fields=id' }),
    'agents:show': async () => ({ params: await dhcp() }),
    'agents:update': async () => ({
      params: await l3(),
      body: { agent: { admin_state_up: true, description: 'd' } },
    }),
    'agents:delete': async () => {
      await client.ask('emulator', 'POST', '/_emulator/hosts', { body: { name: 'rack-1' } });
      return { params: { id: await agent('Open vSwitch agent', '&host=rack-1') } };
    },
    'agent_networks:list': async () => ({ params: await dhcp() }),
    'agent_networks:create': async () => ({
      params: await dhcp(),
      body: { network_id: (await make('network', {})).id },
    }),
    'agent_networks:delete': async () => ({
      params: { ...(await dhcp()), network_id: await networkWithDhcp() },
    }),
    'agent_routers:list': async () => ({ params: await l3() }),
    'agent_routers:create': async () => ({
      params: await l3(),
      body: { router_id: (await make('router', {})).id },
    }),
    'agent_routers:delete': async () => ({
      params: { ...(await l3()), router_id: (await make('router', {})).id },
    }),
    'network_agents:list': async () => ({ params: { id: await networkWithDhcp() } }),
    'router_agents:list': async () => ({ params: { id: (await make('router', {})).id } }),
  };
}

function others(make: Make, put: Put): Record<string, () => Promise<Sample>> {
  const limits = {
    network: 5,
    subnet: -1,
    subnetpool: -1,
    port: 10,
    router: 1,
    floatingip: 1,
    security_group: 2,
    security_group_rule: 20,
    rbac_policy: 3,
    trunk: 3,
  };
  return {
    'address_groups:add_addresses': async () => ({
      params: { id: (await make('address_group', {})).id },
      body: { addresses: ['192.0.2.0/24'] },
    }),
    'address_groups:remove_addresses': async () => ({
      params: { id: (await make('address_group', { addresses: ['192.0.2.0/24'] })).id },
      body: { addresses: ['192.0.2.0/24'] },
    }),
    'trunks:add_subports': async () => ({
      params: { id: (await make('trunk', { port_id: await plainPort(make) })).id },
      body: { sub_ports: [await subPort(make)] },
    }),
    'trunks:remove_subports': async () => {
      const sub_ports = [await subPort(make)];
      const { id } = await make('trunk', { port_id: await plainPort(make), sub_ports });
      return { params: { id }, body: { sub_ports } };
    },
    'trunks:get_subports': async () => ({
      params: { id: (await make('trunk', { port_id: await plainPort(make) })).id },
    }),
    'versions:list': () => Promise.resolve({}),
    'resources:list': () => Promise.resolve({}),
    'extensions:list': () => Promise.resolve({}),
    'extensions:show': () => Promise.resolve({ params: { alias: 'router' } }),
    'quotas:list': () => Promise.resolve({}),
    'quotas:show_tenant': () => Promise.resolve({}),
    'quotas:show_project': () => Promise.resolve({}),
    'quotas:show': () => Promise.resolve({ params: { project_id: 'p' } }),
    'quotas:show_default': () => Promise.resolve({ params: { project_id: 'p' } }),
    'quotas:show_details': () => Promise.resolve({ params: { project_id: 'p' } }),
    'quotas:update': () =>
      Promise.resolve({
        params: { project_id: 'q' },
        body: { quota: { ...limits, force: true } },
      }),
    'quotas:delete': async () => {
      await put('/quotas/gone', { quota: { network: 1 } });
      return { params: { project_id: 'gone' } };
    },
    'availability_zones:list': () => Promise.resolve({}),
    'service_providers:list': () => Promise.resolve({ query: 'service_type=L3_ROUTER_NAT' }),
    'floatingip_pools:list': () => Promise.resolve({ query: 'limit=1&fields=cidr' }),
    'network_ip_availabilities:list': () => Promise.resolve({ query: 'ip_version=4' }),
    'network_ip_availabilities:show': async () => ({
      params: { network_id: (await make('network', {})).id },
    }),
  };
}
