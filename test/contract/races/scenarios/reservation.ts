// Concurrent writes of Reservation, with each other and with requests to Compute, Placement and
// Network.
import { cirrosId } from '../../../../src/services/image/index.ts';
import { mustSucceed, type Send, type RequestSpec, type Scenario, type Ids } from '../races.ts';

export const leases = '/reservation/v1/leases';
const osHosts = '/reservation/v1/os-hosts';

/**
 * The clock is frozen at noon of that day: leases with the start date `now` are active, the others
 * pending.
 */
const [now, soon, later, last] = [
  'now',
  '2026-11-20 14:00',
  '2026-11-20 16:00',
  '2026-11-20 18:00',
];

const onHost = (name: string): string =>
  JSON.stringify(['==', '$hypervisor_hostname', `host-${name}`]);

export const instances = (name: string, amount: number, fields: object = {}): object => ({
  resource_type: 'virtual:instance',
  vcpus: 1,
  memory_mb: 64,
  disk_gb: 1,
  amount,
  affinity: null,
  resource_properties: onHost(name),
  ...fields,
});

const whole = (name: string): object => ({
  resource_type: 'physical:host',
  min: 1,
  max: 1,
  hypervisor_properties: onHost(name),
  resource_properties: '',
});

export const lease = (
  name: string,
  reservation: object,
  start = soon,
  end = later,
): RequestSpec => [
  'POST',
  leases,
  { name, start_date: start, end_date: end, reservations: [reservation] },
];

interface Body {
  readonly [key: string]: any; // eslint-disable-line
}

const got = async (send: Send, path: string): Promise<Body> =>
  (await send('GET', path)).body as Body;

/** Creates and registers a host with capacity for four instances. */
export async function makeHost(
  send: Send,
  name: string,
): Promise<{ host: string; provider: string; pool: string }> {
  await mustSucceed(send, [
    'POST',
    '/_emulator/hosts',
    { name: `host-${name}`, vcpus: 4, memory_mb: 8192, disk_gb: 100 },
  ]);
  const host = await mustSucceed(
    send,
    ['POST', osHosts, { name: `host-${name}`, gpu: 'one' }],
    'host.id',
  );
  const { resource_providers } = await got(
    send,
    `/placement/resource_providers?name=blazar_host-${name}`,
  );
  const { aggregates } = await got(send, '/compute/v2.1/os-aggregates');
  const pool = (aggregates as Body[]).find((one) => one['name'] === 'freepool')!['id'] as number;
  return { host, provider: resource_providers[0].uuid as string, pool: String(pool) };
}

/** Creates a lease. @returns its id and that of its reservation */
export async function makeLease(
  send: Send,
  line: RequestSpec,
): Promise<{ lease: string; reservation: string }> {
  const lease = await mustSucceed(send, line, 'lease.id');
  const reservation = await mustSucceed(
    send,
    ['GET', `${leases}/${lease}`],
    'lease.reservations.0.id',
  );
  return { lease, reservation };
}

/** Deletes the resources that the next attempt would find in lists of all projects. */
export async function cleanUp(send: Send, { host }: Ids, name: string): Promise<void> {
  const { servers } = await got(send, `/compute/v2.1/servers?name=${name}`);
  for (const { id } of servers as Body[]) await send('DELETE', `/compute/v2.1/servers/${id}`);
  for (const one of (await got(send, leases))['leases'] as Body[])
    if (`${one['name']}`.endsWith(name)) await send('DELETE', `${leases}/${one['id']}`);
  if (host) await send('DELETE', `${osHosts}/${host}`);
  await send('PATCH', `${osHosts}/properties/gpu`, { private: false });
  await send('DELETE', `/_emulator/hosts/host-${name}`);
}

/** Reads everything that leases affect, except lists of all projects. */
const seen = ({ host, provider }: Ids, name: string): string[] => [
  leases,
  `${osHosts}/${host}`,
  `${osHosts}/${host}/allocation`,
  `/placement/resource_providers?name=blazar_host-${name}`,
  `/placement/resource_providers/${provider}/inventories`,
  `/placement/resource_providers/${provider}/usages`,
  '/compute/v2.1/os-aggregates',
  '/compute/v2.1/flavors/detail?is_public=False',
  '/compute/v2.1/os-server-groups?all_projects=1',
  `/compute/v2.1/servers/detail?name=${name}`,
  `/compute/v2.1/os-hypervisors?hypervisor_hostname_pattern=host-${name}`,
];

const boot = (name: string, fields: object, hints: object = {}): RequestSpec => {
  const server = {
    name: `server-${name}`,
    imageRef: cirrosId,
    networks: 'none',
    flavorRef: '42',
    ...fields,
  };
  return ['POST', '/compute/v2.1/servers', { server, 'os:scheduler_hints': hints }];
};

export const change = (id: string, body: object): RequestSpec => ['PUT', `${leases}/${id}`, body];

export const reservationScenarios: readonly Scenario[] = [
  {
    name: 'a reservable host',
    setup: makeHost,
    writes: ({ host, pool }, name) => {
      const at = `${osHosts}/${host}`;
      return {
        'change a property': ['PUT', at, { gpu: 'two' }],
        'add a property': ['PUT', at, { rack: name }],
        'remove a property': ['PUT', at, { gpu: null }],
        'hide the property': ['PATCH', `${osHosts}/properties/gpu`, { private: true }],
        'show the property': ['PATCH', `${osHosts}/properties/gpu`, { private: false }],
        unregister: ['DELETE', at],
        'register it again': ['POST', osHosts, { name: `host-${name}` }],
        'reserve it': lease(`a-${name}`, whole(name)),
        'reserve instances on it': lease(`b-${name}`, instances(name, 3)),
        'reserve it by property': lease(
          `c-${name}`,
          instances(name, 1, {
            resource_properties: JSON.stringify([
              'and',
              ['==', '$gpu', 'one'],
              JSON.parse(onHost(name)) as unknown,
            ]),
          }),
        ),
        'create a server on it': boot(name, { host: `host-${name}` }),
        'remove it from the pool': [
          'POST',
          `/compute/v2.1/os-aggregates/${pool}/action`,
          { remove_host: { host: `host-${name}` } },
        ],
        'delete the host': ['DELETE', `/_emulator/hosts/host-${name}`],
      };
    },
    reads: (ids, name) => [...seen(ids, name), `${osHosts}/properties?detail=1`],
    cleanUp,
  },
  {
    name: 'a lease before its start',
    async setup(send, name) {
      const hostIds = await makeHost(send, name);
      return { ...hostIds, ...(await makeLease(send, lease(name, instances(name, 2)))) };
    },
    writes: ({ host, lease: id, reservation }, name) => {
      const part = (fields: object): RequestSpec =>
        change(id!, { reservations: [{ id: reservation, ...fields }] });
      return {
        rename: change(id!, { name: `renamed-${name}` }),
        start: change(id!, { start_date: now }),
        'postpone the start': change(id!, { start_date: '2026-11-20 15:00' }),
        extend: change(id!, { end_date: last }),
        'move the before-end event': change(id!, { before_end_date: '2026-11-20 15:30' }),
        'reserve more': part({ amount: 4 }),
        'reserve less': part({ amount: 1 }),
        'reserve larger instances': part({ vcpus: 2 }),
        'require affinity': part({ affinity: true }),
        delete: ['DELETE', `${leases}/${id}`],
        'create a concurrent lease': lease(`beside-${name}`, instances(name, 2)),
        'create a later lease': lease(`after-${name}`, whole(name), later, last),
        'unregister the host': ['DELETE', `${osHosts}/${host}`],
        'delete its flavor': ['DELETE', `/compute/v2.1/flavors/${reservation}`],
      };
    },
    reads: seen,
    cleanUp,
  },
  {
    name: 'an active lease',
    async setup(send, name) {
      const hostIds = await makeHost(send, name);
      const found = await makeLease(send, lease(name, instances(name, 2), now));
      await send('GET', '/compute/v2.1/servers?limit=1');
      return { ...hostIds, ...found };
    },
    writes: ({ host, lease: id, reservation, provider }, name) => ({
      rename: change(id!, { name: `renamed-${name}` }),
      extend: change(id!, { end_date: last }),
      end: change(id!, { end_date: now }),
      'reserve more': change(id!, { reservations: [{ id: reservation, amount: 3 }] }),
      delete: ['DELETE', `${leases}/${id}`],
      'create a concurrent lease': lease(`beside-${name}`, instances(name, 2), now),
      'create a later lease': lease(`after-${name}`, whole(name), later, last),
      'unregister the host': ['DELETE', `${osHosts}/${host}`],
      'delete its inventory': ['DELETE', `/placement/resource_providers/${provider}/inventories`],
      'delete the host': ['DELETE', `/_emulator/hosts/host-${name}`],
    }),
    reads: seen,
    cleanUp,
  },
  {
    name: 'servers of an active lease',
    async setup(send, name) {
      const hostIds = await makeHost(send, name);
      const found = await makeLease(send, lease(name, instances(name, 2), now));
      await send('GET', '/compute/v2.1/servers?limit=1');
      return { ...hostIds, ...found };
    },
    writes: ({ lease: id, reservation, provider }, name) => ({
      'create a server': boot(name, { flavorRef: reservation }),
      delete: ['DELETE', `${leases}/${id}`],
      end: change(id!, { end_date: now }),
      extend: change(id!, { end_date: last }),
      'reserve more': change(id!, { reservations: [{ id: reservation, amount: 3 }] }),
      'create a concurrent lease': lease(`beside-${name}`, instances(name, 2), now),
      'delete its inventory': ['DELETE', `/placement/resource_providers/${provider}/inventories`],
    }),
    reads: seen,
    cleanUp,
  },
  {
    name: 'servers of a lease with affinity',
    async setup(send, name) {
      const hostIds = await makeHost(send, name);
      const found = await makeLease(send, lease(name, instances(name, 2, { affinity: true }), now));
      await send('GET', '/compute/v2.1/servers?limit=1');
      const { server_groups } = await got(send, '/compute/v2.1/os-server-groups?all_projects=1');
      const group = (server_groups as Body[]).find((one) =>
        `${one['name']}`.includes(found.reservation),
      )!['id'] as string;
      return { ...hostIds, ...found, group };
    },
    writes: ({ lease: id, reservation, group }, name) => ({
      'create a server': boot(name, { flavorRef: reservation }, { group }),
      delete: ['DELETE', `${leases}/${id}`],
      end: change(id!, { end_date: now }),
      'delete the group': ['DELETE', `/compute/v2.1/os-server-groups/${group}`],
      'delete its flavor': ['DELETE', `/compute/v2.1/flavors/${reservation}`],
    }),
    reads: seen,
    cleanUp,
  },
  {
    name: 'a leased host',
    async setup(send, name) {
      const hostIds = await makeHost(send, name);
      const found = await makeLease(send, lease(name, whole(name), now));
      await send('GET', '/compute/v2.1/servers?limit=1');
      return { ...hostIds, ...found };
    },
    writes: ({ host, lease: id, reservation }, name) => ({
      extend: change(id!, { end_date: last }),
      end: change(id!, { end_date: now }),
      delete: ['DELETE', `${leases}/${id}`],
      'create a server': boot(name, {}, { reservation }),
      'create a server on it': boot(name, { host: `host-${name}` }),
      'create a later lease': lease(`after-${name}`, whole(name), later, last),
      'unregister the host': ['DELETE', `${osHosts}/${host}`],
      'delete the host': ['DELETE', `/_emulator/hosts/host-${name}`],
    }),
    reads: seen,
    cleanUp,
  },
  {
    name: 'reservable floating IPs',
    async setup(send, name) {
      const network = { name: `net-${name}`, 'router:external': true };
      const id = await mustSucceed(
        send,
        ['POST', '/network/v2.0/networks', { network }],
        'network.id',
      );
      const allocation_pools = [{ start: '10.9.0.2', end: '10.9.0.9' }];
      const subnet = { network_id: id, cidr: '10.9.0.0/24', ip_version: 4, allocation_pools };
      await mustSucceed(send, ['POST', '/network/v2.0/subnets', { subnet }]);
      const register = (floating_ip_address: string): Promise<string> =>
        mustSucceed(
          send,
          ['POST', '/reservation/v1/floatingips', { floating_network_id: id, floating_ip_address }],
          'floatingip.id',
        );
      const [ip, other] = [await register('10.9.0.20'), await register('10.9.0.21')];
      const found = await makeLease(send, lease(name, ips(id, ['10.9.0.21']), now));
      await send('GET', '/compute/v2.1/servers?limit=1');
      return { network: id, ip, other, ...found };
    },
    writes: ({ network, ip, lease: id, reservation }, name) => ({
      'unregister it': ['DELETE', `/reservation/v1/floatingips/${ip}`],
      'register another': [
        'POST',
        '/reservation/v1/floatingips',
        { floating_network_id: network, floating_ip_address: '10.9.0.22' },
      ],
      'reserve it': lease(`a-${name}`, ips(network!, ['10.9.0.20'])),
      'reserve any address': lease(`b-${name}`, ips(network!, [])),
      'reserve one more': change(id!, { reservations: [{ id: reservation, amount: 2 }] }),
      end: change(id!, { end_date: now }),
      delete: ['DELETE', `${leases}/${id}`],
      'create it in Network': [
        'POST',
        '/network/v2.0/floatingips',
        { floatingip: { floating_network_id: network, floating_ip_address: '10.9.0.20' } },
      ],
    }),
    reads: ({ network }) => [
      leases,
      '/reservation/v1/floatingips',
      `/network/v2.0/floatingips?floating_network_id=${network}`,
      '/reservation/availability?resource_type=virtual:floatingip',
    ],
    async cleanUp(send, { network }, name) {
      await cleanUp(send, {}, name);
      for (const { id } of (await got(send, '/reservation/v1/floatingips'))[
        'floatingips'
      ] as Body[])
        await send('DELETE', `/reservation/v1/floatingips/${id}`);
      for (const { id } of (
        await got(send, `/network/v2.0/floatingips?floating_network_id=${network}`)
      )['floatingips'] as Body[])
        await send('DELETE', `/network/v2.0/floatingips/${id}`);
    },
  },
];

const ips = (network_id: string, required_floatingips: readonly string[]): object => ({
  resource_type: 'virtual:floatingip',
  network_id,
  amount: 1,
  required_floatingips,
});
