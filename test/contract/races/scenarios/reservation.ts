// Races between writes of Reservation, and with concurrent requests to Compute, Placement and Network.
import { cirrosId } from '../../../../src/services/image/index.ts';
import { made, type Ask, type Line, type Scenario, type Things } from '../races.ts';

const leases = '/reservation/v1/leases';
const osHosts = '/reservation/v1/os-hosts';

/** The clock is frozen at noon on that day: leases from now have started, the others have not. */
const [now, soon, later, last] = [
  'now',
  '2026-11-20 14:00',
  '2026-11-20 16:00',
  '2026-11-20 18:00',
];

const onHost = (name: string): string =>
  JSON.stringify(['==', '$hypervisor_hostname', `host-${name}`]);

const instances = (name: string, amount: number, fields: object = {}): object => ({
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

const lease = (name: string, reservation: object, start = soon, end = later): Line => [
  'POST',
  leases,
  { name, start_date: start, end_date: end, reservations: [reservation] },
];

interface Body {
  readonly [key: string]: any; // eslint-disable-line
}

const got = async (ask: Ask, path: string): Promise<Body> => (await ask('GET', path)).body as Body;

/** Registers a new host, which fits four instances. */
async function makeHost(
  ask: Ask,
  name: string,
): Promise<{ host: string; provider: string; pool: string }> {
  await made(ask, [
    'POST',
    '/_emulator/hosts',
    { name: `host-${name}`, vcpus: 4, memory_mb: 8192, disk_gb: 100 },
  ]);
  const host = await made(ask, ['POST', osHosts, { name: `host-${name}`, gpu: 'one' }], 'host.id');
  const { resource_providers } = await got(
    ask,
    `/placement/resource_providers?name=blazar_host-${name}`,
  );
  const { aggregates } = await got(ask, '/compute/v2.1/os-aggregates');
  const pool = (aggregates as Body[]).find(({ name: own }) => own === 'freepool')!['id'] as number;
  return { host, provider: resource_providers[0].uuid as string, pool: String(pool) };
}

/** Creates a lease. @returns its id and that of its reservation */
async function makeLease(ask: Ask, line: Line): Promise<{ lease: string; reservation: string }> {
  const lease = await made(ask, line, 'lease.id');
  const reservation = await made(ask, ['GET', `${leases}/${lease}`], 'lease.reservations.0.id');
  return { lease, reservation };
}

/** Deletes what the lists of all projects would show in the next attempt. */
async function cleanUp(ask: Ask, { host }: Things, name: string): Promise<void> {
  const { servers } = await got(ask, `/compute/v2.1/servers?name=${name}`);
  for (const { id } of servers as Body[]) await ask('DELETE', `/compute/v2.1/servers/${id}`);
  for (const one of (await got(ask, leases))['leases'] as Body[])
    if (`${one['name']}`.endsWith(name)) await ask('DELETE', `${leases}/${one['id']}`);
  if (host) await ask('DELETE', `${osHosts}/${host}`);
  await ask('PATCH', `${osHosts}/properties/gpu`, { private: false });
  await ask('DELETE', `/_emulator/hosts/host-${name}`);
}

/** The paths of everything that leases create, except the lists of all projects. */
const seen = ({ host, provider }: Things, name: string): string[] => [
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

const boot = (name: string, fields: object, hints: object = {}): Line => {
  const server = {
    name: `server-${name}`,
    imageRef: cirrosId,
    networks: 'none',
    flavorRef: '42',
    ...fields,
  };
  return ['POST', '/compute/v2.1/servers', { server, 'os:scheduler_hints': hints }];
};

const change = (id: string, body: object): Line => ['PUT', `${leases}/${id}`, body];

export const reservationScenarios: readonly Scenario[] = [
  {
    name: 'a reservable host',
    setup: makeHost,
    writes: ({ host, pool }, name) => {
      const at = `${osHosts}/${host}`;
      return {
        'change a capability': ['PUT', at, { gpu: 'two' }],
        'add a capability': ['PUT', at, { rack: name }],
        'delete a capability': ['PUT', at, { gpu: null }],
        'hide the property': ['PATCH', `${osHosts}/properties/gpu`, { private: true }],
        'show the property': ['PATCH', `${osHosts}/properties/gpu`, { private: false }],
        unregister: ['DELETE', at],
        'register again': ['POST', osHosts, { name: `host-${name}` }],
        'reserve it': lease(`a-${name}`, whole(name)),
        'reserve its room': lease(`b-${name}`, instances(name, 3)),
        'reserve what it is': lease(
          `c-${name}`,
          instances(name, 1, {
            resource_properties: JSON.stringify([
              'and',
              ['==', '$gpu', 'one'],
              JSON.parse(onHost(name)) as unknown,
            ]),
          }),
        ),
        'boot on it': boot(name, { host: `host-${name}` }),
        'remove from the freepool': [
          'POST',
          `/compute/v2.1/os-aggregates/${pool}/action`,
          { remove_host: { host: `host-${name}` } },
        ],
        'delete the host': ['DELETE', `/_emulator/hosts/host-${name}`],
      };
    },
    reads: (things, name) => [...seen(things, name), `${osHosts}/properties?detail=1`],
    cleanUp,
  },
  {
    name: 'a lease before its start',
    async setup(ask, name) {
      const made = await makeHost(ask, name);
      return { ...made, ...(await makeLease(ask, lease(name, instances(name, 2)))) };
    },
    writes: ({ host, lease: id, reservation }, name) => {
      const part = (fields: object): Line =>
        change(id!, { reservations: [{ id: reservation, ...fields }] });
      return {
        rename: change(id!, { name: `renamed-${name}` }),
        start: change(id!, { start_date: now }),
        defer: change(id!, { start_date: '2026-11-20 15:00' }),
        prolong: change(id!, { end_date: last }),
        'move the announcement': change(id!, { before_end_date: '2026-11-20 15:30' }),
        more: part({ amount: 4 }),
        less: part({ amount: 1 }),
        larger: part({ vcpus: 2 }),
        'with affinity': part({ affinity: true }),
        delete: ['DELETE', `${leases}/${id}`],
        'reserve beside it': lease(`beside-${name}`, instances(name, 2)),
        'reserve after it': lease(`after-${name}`, whole(name), later, last),
        'unregister the host': ['DELETE', `${osHosts}/${host}`],
        'delete its flavor': ['DELETE', `/compute/v2.1/flavors/${reservation}`],
      };
    },
    reads: seen,
    cleanUp,
  },
  {
    name: 'an active lease',
    async setup(ask, name) {
      const made = await makeHost(ask, name);
      const found = await makeLease(ask, lease(name, instances(name, 2), now));
      await ask('GET', '/compute/v2.1/servers?limit=1');
      return { ...made, ...found };
    },
    writes: ({ host, lease: id, reservation, provider }, name) => ({
      rename: change(id!, { name: `renamed-${name}` }),
      prolong: change(id!, { end_date: last }),
      end: change(id!, { end_date: now }),
      more: change(id!, { reservations: [{ id: reservation, amount: 3 }] }),
      delete: ['DELETE', `${leases}/${id}`],
      'reserve beside it': lease(`beside-${name}`, instances(name, 2), now),
      'reserve after it': lease(`after-${name}`, whole(name), later, last),
      'unregister the host': ['DELETE', `${osHosts}/${host}`],
      'delete its inventories': ['DELETE', `/placement/resource_providers/${provider}/inventories`],
      'delete the host': ['DELETE', `/_emulator/hosts/host-${name}`],
    }),
    reads: seen,
    cleanUp,
  },
  {
    name: 'servers of an active lease',
    async setup(ask, name) {
      const made = await makeHost(ask, name);
      const found = await makeLease(ask, lease(name, instances(name, 2), now));
      await ask('GET', '/compute/v2.1/servers?limit=1');
      return { ...made, ...found };
    },
    writes: ({ lease: id, reservation, provider }, name) => ({
      boot: boot(name, { flavorRef: reservation }),
      delete: ['DELETE', `${leases}/${id}`],
      end: change(id!, { end_date: now }),
      prolong: change(id!, { end_date: last }),
      more: change(id!, { reservations: [{ id: reservation, amount: 3 }] }),
      'reserve beside it': lease(`beside-${name}`, instances(name, 2), now),
      'delete its inventories': ['DELETE', `/placement/resource_providers/${provider}/inventories`],
    }),
    reads: seen,
    cleanUp,
  },
  {
    name: 'servers of a lease with affinity',
    async setup(ask, name) {
      const made = await makeHost(ask, name);
      const found = await makeLease(ask, lease(name, instances(name, 2, { affinity: true }), now));
      await ask('GET', '/compute/v2.1/servers?limit=1');
      const { server_groups } = await got(ask, '/compute/v2.1/os-server-groups?all_projects=1');
      const group = (server_groups as Body[]).find((one) =>
        `${one['name']}`.includes(found.reservation),
      )!['id'] as string;
      return { ...made, ...found, group };
    },
    writes: ({ lease: id, reservation, group }, name) => ({
      boot: boot(name, { flavorRef: reservation }, { group }),
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
    async setup(ask, name) {
      const made = await makeHost(ask, name);
      const found = await makeLease(ask, lease(name, whole(name), now));
      await ask('GET', '/compute/v2.1/servers?limit=1');
      return { ...made, ...found };
    },
    writes: ({ host, lease: id, reservation }, name) => ({
      prolong: change(id!, { end_date: last }),
      end: change(id!, { end_date: now }),
      delete: ['DELETE', `${leases}/${id}`],
      boot: boot(name, {}, { reservation }),
      'boot on it': boot(name, { host: `host-${name}` }),
      'reserve after it': lease(`after-${name}`, whole(name), later, last),
      'unregister the host': ['DELETE', `${osHosts}/${host}`],
      'delete the host': ['DELETE', `/_emulator/hosts/host-${name}`],
    }),
    reads: seen,
    cleanUp,
  },
  {
    name: 'reservable floating IPs',
    async setup(ask, name) {
      const network = { name: `net-${name}`, 'router:external': true };
      const id = await made(ask, ['POST', '/network/v2.0/networks', { network }], 'network.id');
      const allocation_pools = [{ start: '10.9.0.2', end: '10.9.0.9' }];
      const subnet = { network_id: id, cidr: '10.9.0.0/24', ip_version: 4, allocation_pools };
      await made(ask, ['POST', '/network/v2.0/subnets', { subnet }]);
      const register = (floating_ip_address: string): Promise<string> =>
        made(
          ask,
          ['POST', '/reservation/v1/floatingips', { floating_network_id: id, floating_ip_address }],
          'floatingip.id',
        );
      const [ip, other] = [await register('10.9.0.20'), await register('10.9.0.21')];
      const found = await makeLease(ask, lease(name, ips(id, ['10.9.0.21']), now));
      await ask('GET', '/compute/v2.1/servers?limit=1');
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
      'reserve any': lease(`b-${name}`, ips(network!, [])),
      'one more': change(id!, { reservations: [{ id: reservation, amount: 2 }] }),
      end: change(id!, { end_date: now }),
      delete: ['DELETE', `${leases}/${id}`],
      'take it from Network': [
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
    async cleanUp(ask, { network }, name) {
      await cleanUp(ask, {}, name);
      for (const { id } of (await got(ask, '/reservation/v1/floatingips'))['floatingips'] as Body[])
        await ask('DELETE', `/reservation/v1/floatingips/${id}`);
      for (const { id } of (
        await got(ask, `/network/v2.0/floatingips?floating_network_id=${network}`)
      )['floatingips'] as Body[])
        await ask('DELETE', `/network/v2.0/floatingips/${id}`);
    },
  },
];

const ips = (network_id: string, required_floatingips: readonly string[]): object => ({
  resource_type: 'virtual:floatingip',
  network_id,
  amount: 1,
  required_floatingips,
});
