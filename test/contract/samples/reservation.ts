// Sample requests of Reservation.
import type { Client } from '../../support/raw.ts';
import type { Sample, Sampled, Samples } from './model.ts';

type Fields = Record<string, any>; // eslint-disable-line
type Ask = (method: string, path: string, body?: unknown) => Promise<Fields>;

const asker =
  (client: Client, service: string, root: string): Ask =>
  async (method, path, body) => {
    const reply = await client.ask(
      service,
      method,
      `${root}${path}`,
      body === undefined ? {} : { body },
    );
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.body as Fields;
  };

export const reservationSamples: Sampled = {
  service: 'reservation',
  config: { auth: 'noauth2', hosts: '3' },
  prepare: async (client) => {
    const ask = asker(client, 'reservation', '/reservation/v1');
    const network = asker(client, 'network', '/network/v2.0');
    const { id: networkId } = (
      await network('POST', '/networks', { network: { name: 'outside', 'router:external': true } })
    )['network'] as Fields;
    const pools = [{ start: '10.9.0.2', end: '10.9.0.9' }];
    await network('POST', '/subnets', {
      subnet: {
        network_id: networkId,
        cidr: '10.9.0.0/16',
        ip_version: 4,
        allocation_pools: pools,
      },
    });
    const { host } = await ask('POST', '/os-hosts', { name: 'compute-1', gpu: 'True' });
    return { token: 'admin', samples: samplesFor(ask, networkId as string, host.id as string) };
  },
};

const dates = { start_date: '2030-01-01 10:00', end_date: '2030-01-01 11:00' };

const instances = {
  resource_type: 'virtual:instance',
  vcpus: 1,
  memory_mb: 64,
  disk_gb: 1,
  amount: 1,
  affinity: null,
  resource_properties: '["==", "$gpu", "True"]',
};

const hosts = {
  resource_type: 'physical:host',
  min: 1,
  max: 1,
  hypervisor_properties: '',
  resource_properties: '',
};

function samplesFor(ask: Ask, networkId: string, hostId: string): Samples {
  const without = async (name: string): Promise<void> => {
    const { hosts: all } = await ask('GET', '/os-hosts');
    const found = (all as Fields[]).find((host) => host['hypervisor_hostname'] === name);
    if (found) await ask('DELETE', `/os-hosts/${found['id']}`);
  };
  const clear = async (): Promise<void> => {
    const { leases } = await ask('GET', '/leases');
    for (const { id } of leases as Fields[]) await ask('DELETE', `/leases/${id}`);
  };
  const lease = async (reservations: unknown[] = [instances]): Promise<Fields> => {
    await clear();
    return (await ask('POST', '/leases', { name: 'sample', ...dates, reservations }))[
      'lease'
    ] as Fields;
  };
  const atLease = async (): Promise<{ params: { lease_id: string } }> => ({
    params: { lease_id: (await lease())['id'] as string },
  });
  let addresses = 0;
  const floatingIp = (): Fields => {
    addresses++;
    return {
      floating_network_id: networkId,
      floating_ip_address: `10.9.${1 + (addresses >> 7)}.${1 + (addresses & 127)}`,
    };
  };
  const atFloatingIp = async (): Promise<Sample> => ({
    params: {
      floatingip_id: (await ask('POST', '/floatingips', floatingIp()))['floatingip'].id as string,
    },
  });
  const atHost = { params: { host_id: hostId } };
  return {
    'versions:show': () => ({}),
    'versions:list': () => ({}),
    'leases:list': async () => (await lease(), {}),
    'leases:create': async () => (
      await clear(),
      {
        body: {
          name: 'sample',
          ...dates,
          before_end_date: '2030-01-01 10:30',
          events: [],
          reservations: [instances],
        },
      }
    ),
    'leases:show': atLease,
    'leases:update': async () => {
      const { id, reservations } = await lease();
      const body = {
        name: 'other',
        end_date: '2030-01-01 12:00',
        reservations: [{ id: (reservations as Fields[])[0]!['id'], amount: 2 }],
      };
      return { params: { lease_id: id as string }, body };
    },
    'leases:delete': atLease,
    'hosts:list': () => ({}),
    'hosts:create': async () => (
      await without('compute-2'),
      { body: { name: 'compute-2', gpu: 'True' } }
    ),
    'hosts:show': () => atHost,
    'hosts:update': () => ({ ...atHost, body: { ssd: 'yes' } }),
    'hosts:delete': async () => {
      await clear();
      await without('compute-3');
      return {
        params: {
          host_id: (await ask('POST', '/os-hosts', { name: 'compute-3' }))['host'].id as string,
        },
      };
    },
    'allocations:list': async () => ({ query: `lease_id=${(await lease([hosts]))['id']}` }),
    'allocations:show': async () => (await lease([hosts]), atHost),
    'properties:list': () => ({ query: 'detail=True&all=True' }),
    'properties:update': () => ({ params: { property_name: 'gpu' }, body: { private: false } }),
    'floatingips:list': async () => (await atFloatingIp(), {}),
    'floatingips:create': () => ({ body: floatingIp() }),
    'floatingips:show': atFloatingIp,
    'floatingips:delete': atFloatingIp,
    'availability:list': () => ({
      query:
        'resource_type=physical:host&start_date=2030-01-01%2000:00&end_date=2030-01-02%2000:00',
    }),
    'availability:find_next': () => ({
      body: { reservation: instances, duration: 60, start_date: '2030-01-01 10:00' },
    }),
    'availability:explain': () => ({ body: { reservation: instances, ...dates } }),
  };
}
