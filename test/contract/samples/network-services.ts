// Sample requests of segments, conntrack helpers, flavors, metering and automatic topologies.
import type { Client } from '../../support/raw.ts';
import type { Sample } from './model.ts';
import type { Make } from './network-forwarding.ts';

export interface ResourceSample {
  readonly fields: () => Promise<object> | object;
  readonly changes?: object;
}

export type Resources = Readonly<Record<string, ResourceSample>>;

/** The resources that the samples of every operation are made from. */
export function serviceResources(make: Make, next: () => number): Resources {
  return {
    segment: {
      fields: async () => ({
        network_id: (await make('network', { name: 'n' })).id,
        network_type: 'vlan',
        physical_network: 'public',
        segmentation_id: next() + 1000,
        name: 's',
        description: 'd',
      }),
      changes: { name: 't', description: 'e' },
    },
    flavor: {
      fields: () => ({
        name: 'f',
        description: 'd',
        service_type: 'L3_ROUTER_NAT',
        service_profiles: [],
        enabled: true,
      }),
      changes: { name: 'g', description: 'e', enabled: false },
    },
    service_profile: {
      fields: () => ({ description: 'd', driver: '', metainfo: '{}', enabled: true }),
      changes: { description: 'e', driver: '', metainfo: '[]', enabled: false },
    },
    metering_label: {
      fields: () => ({ name: 'm', description: 'd', shared: false }),
    },
    metering_label_rule: {
      fields: async () => ({
        metering_label_id: (await make('metering_label', {})).id,
        direction: 'ingress',
        excluded: false,
        source_ip_prefix: '10.0.0.0/8',
        destination_ip_prefix: '192.0.2.0/24',
      }),
    },
  };
}

/** The samples of operations that not every resource has. */
export function serviceSamples(client: Client, make: Make): Record<string, () => Promise<Sample>> {
  return {
    ...conntrackSamples(client, make),
    'flavor_service_profiles:create': async () => ({
      params: { flavor_id: (await make('flavor', { service_type: 'QOS' })).id },
      body: { service_profile: { id: (await make('service_profile', { metainfo: 'm' })).id } },
    }),
    'flavor_service_profiles:delete': async () => {
      const { id: flavor_id } = await make('flavor', { service_type: 'QOS' });
      const { id } = await make('service_profile', { metainfo: 'm' });
      const body = { service_profile: { id } };
      const path = `/network/v2.0/flavors/${flavor_id}/service_profiles`;
      await client.ask('network', 'POST', path, { body });
      return { params: { flavor_id, service_profile_id: id } };
    },
    // Without a default subnet pool no project can have a topology.
    'auto_allocated_topologies:show': async () => {
      await ensureDefaultPool(client);
      return { params: { project_id: 'admin' } };
    },
    'auto_allocated_topologies:delete': async () => {
      await ensureDefaultPool(client);
      return { params: { project_id: 'admin' } };
    },
  };
}

async function ensureDefaultPool(client: Client): Promise<void> {
  const subnetpool = { name: 'd', prefixes: ['10.200.0.0/16'], default_prefixlen: 26 };
  const body = { subnetpool: { ...subnetpool, is_default: true, shared: true } };
  await client.ask('network', 'POST', '/network/v2.0/subnetpools', { body });
}

/** The samples of the conntrack helpers of a router. */
function conntrackSamples(client: Client, make: Make): Record<string, () => Promise<Sample>> {
  const body = { conntrack_helper: { protocol: 'udp', port: 69, helper: 'tftp' } };
  const helper = async (): Promise<{ router_id: string; id: string }> => {
    const { id: router_id } = await make('router', {});
    const path = `/network/v2.0/routers/${router_id}/conntrack_helpers`;
    const reply = await client.ask('network', 'POST', path, { body });
    const { id } = (reply.body as { conntrack_helper: { id: string } }).conntrack_helper;
    return { router_id, id };
  };
  return {
    'conntrack_helpers:list': async () => {
      const { router_id } = await helper();
      return { params: { router_id }, query: 'limit=2&sort_key=port&sort_dir=asc&fields=id' };
    },
    'conntrack_helpers:create': async () => ({
      params: { router_id: (await make('router', {})).id },
      body,
    }),
    'conntrack_helpers:show': async () => ({ params: await helper() }),
    'conntrack_helpers:update': async () => ({
      params: await helper(),
      body: { conntrack_helper: { protocol: 'tcp', port: 21, helper: 'ftp' } },
    }),
    'conntrack_helpers:delete': async () => ({ params: await helper() }),
  };
}
