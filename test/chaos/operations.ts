// The random operations of a chaos run. Each looks up what it needs, so that it also works after a
// restore.
import type { SeededRandom } from '../support/seeded-random.ts';
import { admin, demo, faultMessage, type Client, type Json, type Person } from './client.ts';

interface Run {
  readonly client: Client;
  readonly random: SeededRandom;
}

type Operation = (run: Run) => Promise<unknown>;

const servers = '/compute/v2.1/servers';
const volumes = '/volume/v3/volumes';
const ports = '/network/v2.0/ports';
const leases = '/reservation/v1/leases';
const clusters = '/clustering/v1/clusters';

/** Runs an operation on a random element of a list, if it has any. */
const onOne =
  (
    [person, path, key]: readonly [Person, string, string],
    run: (one: Json, run: Run) => Promise<unknown>,
  ): Operation =>
  async (context) => {
    const found = await context.client.list(person, path, key);
    if (found.length) await run(context.random.pick(found), context);
  };

const someServer = [demo, `${servers}/detail`, 'servers'] as const;
const someVolume = [demo, `${volumes}/detail`, 'volumes'] as const;
const somePort = [demo, `${ports}?device_id=`, 'ports'] as const;
const someLease = [demo, leases, 'leases'] as const;
const someCluster = [demo, clusters, 'clusters'] as const;

const idOf = async (
  { client }: Run,
  [person, path, key]: readonly [Person, string, string],
  name: string,
): Promise<string | undefined> =>
  (await client.list(person, path, key)).find((one) => one['name'] === name)?.['id'] as
    string | undefined;

const image = (run: Run): Promise<string | undefined> =>
  idOf(run, [demo, '/image/v2/images', 'images'], 'cirros');
const network = (run: Run): Promise<string | undefined> =>
  idOf(run, [demo, '/network/v2.0/networks', 'networks'], 'private');

async function createServer(run: Run): Promise<void> {
  const { client, random } = run;
  const [imageRef, uuid] = [await image(run), await network(run)];
  const group = (await client.list(demo, '/compute/v2.1/os-server-groups', 'server_groups'))[0];
  const server = {
    name: `chaos-${random.between(0, 999)}`,
    flavorRef: random.pick(['1', '2', '42']),
    imageRef,
    networks: random.pick<unknown>(['none', [{ uuid }], [{ uuid }, { uuid }]]),
    max_count: random.pick([1, 1, 2]),
  };
  const hints = group && random.chance(0.3) ? { 'os:scheduler_hints': { group: group['id'] } } : {};
  await client.send(demo, 'POST', servers, { server, ...hints });
}

const actions: readonly Json[] = [
  { 'os-stop': null },
  { 'os-start': null },
  { reboot: { type: 'HARD' } },
  { pause: null },
  { unpause: null },
  { suspend: null },
  { resume: null },
  { resize: { flavorRef: '2' } },
  { resize: { flavorRef: '1' } },
  { confirmResize: null },
  { revertResize: null },
  { shelve: null },
  { shelveOffload: null },
  { unshelve: null },
  { migrate: null },
  { 'os-migrateLive': { host: null, block_migration: 'auto' } },
  { createImage: { name: 'chaos' } },
];

async function createLease({ client, random }: Run): Promise<void> {
  const { body } = await client.send(admin, 'GET', '/_emulator/clock');
  const now = Date.parse(String(body['now'] ?? '')) || Date.now();
  const hour = 3_600_000;
  const start = now + random.between(1, 30) * hour;
  const date = (time: number): string =>
    new Date(time).toISOString().slice(0, 16).replace('T', ' ');
  const instance = {
    resource_type: 'virtual:instance',
    amount: random.between(1, 4),
    vcpus: random.between(1, 4),
    memory_mb: 1024,
    disk_gb: 1,
    affinity: random.pick([null, true, false]),
  };
  const host = {
    resource_type: 'physical:host',
    min: 1,
    max: 1,
    hypervisor_properties: '',
    resource_properties: '',
  };
  await client.send(demo, 'POST', leases, {
    name: `chaos-${random.between(0, 999_999)}`,
    start_date: random.chance(0.3) ? 'now' : date(start),
    end_date: date(start + random.between(1, 48) * hour),
    before_end_date: null,
    reservations: [random.chance(0.3) ? host : instance],
    events: [],
  });
}

async function createCluster(run: Run): Promise<void> {
  const { client, random } = run;
  const [profile] = await client.list(demo, '/clustering/v1/profiles', 'profiles');
  const size = { desired_capacity: random.between(0, 3), min_size: 0, max_size: 6 };
  if (profile) {
    const cluster = { name: `chaos-${random.between(0, 999)}`, profile_id: profile['id'], ...size };
    await client.send(demo, 'POST', clusters, { cluster });
    return;
  }
  const properties = {
    flavor: 'm1.nano',
    image: 'cirros',
    networks: [{ network: 'private' }],
  };
  const spec = { type: 'os.nova.server', version: '1.0', properties };
  await client.send(demo, 'POST', '/clustering/v1/profiles', { profile: { name: 'chaos', spec } });
}

/**
 * How many clusters may have health checks. Each cluster whose nodes cannot be recovered costs a
 * failed recovery of every node for each minute that the clock moves.
 */
const maxChecked = 2;

async function attachHealthPolicy({ client, random }: Run): Promise<void> {
  const found = await client.list(demo, clusters, 'clusters');
  const [policy] = await client.list(demo, '/clustering/v1/policies', 'policies');
  if (!policy) {
    const detection = {
      interval: 60,
      detection_modes: [{ type: 'NODE_STATUS_POLLING' }],
    };
    const spec = {
      type: 'senlin.policy.health',
      version: '1.1',
      properties: { detection, recovery: { actions: [{ name: 'RECREATE' }] } },
    };
    await client.send(demo, 'POST', '/clustering/v1/policies', { policy: { name: 'care', spec } });
  } else if (found.length)
    await client.send(
      demo,
      'POST',
      `${clusters}/${random.pick(found.slice(0, maxChecked))['id']}/actions`,
      {
        policy_attach: { policy_id: policy['id'], enabled: true },
      },
    );
}

async function claim({ client, random }: Run): Promise<void> {
  const path = '/placement/resource_providers?name=chaos';
  const [provider] = await client.list(admin, path, 'resource_providers');
  if (!provider) {
    const uuid = '6f1c9a50-0000-4000-8000-000000000001';
    const own = `/placement/resource_providers/${uuid}`;
    await client.send(admin, 'POST', '/placement/resource_providers', { name: 'chaos', uuid });
    await client.send(admin, 'PUT', `${own}/inventories`, {
      resource_provider_generation: 0,
      inventories: { CUSTOM_CHAOS: { total: 8 } },
    });
    return;
  }
  await client.send(admin, 'PUT', '/placement/resource_classes/CUSTOM_CHAOS');
  const consumer = `6f1c9a50-0000-4000-8000-1${String(random.between(0, 30)).padStart(11, '0')}`;
  const known = await client.send(admin, 'GET', `/placement/allocations/${consumer}`);
  const isFree = random.chance(0.4);
  await client.send(admin, 'PUT', `/placement/allocations/${consumer}`, {
    allocations: isFree
      ? {}
      : { [String(provider['uuid'])]: { resources: { CUSTOM_CHAOS: random.between(1, 3) } } },
    project_id: 'chaos',
    user_id: 'chaos',
    consumer_type: 'CHAOS',
    consumer_generation: (known.body['consumer_generation'] as number | undefined) ?? null,
  });
}

async function addFault({ client, random }: Run): Promise<void> {
  const service = random.pick(['compute', 'network', 'volume', 'placement', 'image', 'identity']);
  await client.send(admin, 'POST', '/_emulator/faults', {
    match: { service, inside: random.chance(0.7) },
    effect: random.pick<Json>([
      { status: 503, message: faultMessage },
      { status: 500, message: faultMessage },
      { drop: true, when: 'after' },
      { delay_ms: 50 },
    ]),
    count: random.between(1, 5),
    probability: 0.5,
  });
}

/** The operations with their weights. */
const operations: readonly (readonly [weight: number, run: Operation])[] = [
  [8, createServer],
  [
    10,
    onOne(someServer, (server, { client, random }) =>
      client.send(admin, 'POST', `${servers}/${server['id']}/action`, random.pick(actions)),
    ),
  ],
  [
    7,
    onOne(someServer, (server, { client }) =>
      client.send(demo, 'DELETE', `${servers}/${server['id']}`),
    ),
  ],
  [
    5,
    async (run) =>
      run.client.send(demo, 'POST', volumes, {
        volume: { size: 1, ...(run.random.chance(0.3) ? { imageRef: await image(run) } : {}) },
      }),
  ],
  [
    4,
    onOne(someVolume, ({ id }, { client, random }) =>
      random.chance(0.6)
        ? client.send(demo, 'DELETE', `${volumes}/${id}`)
        : client.send(demo, 'POST', `${volumes}/${id}/action`, { 'os-extend': { new_size: 2 } }),
    ),
  ],
  [
    5,
    onOne(someServer, async (server, { client, random }) => {
      const found = await client.list(demo, `${volumes}?status=available`, 'volumes');
      if (found.length)
        await client.send(demo, 'POST', `${servers}/${server['id']}/os-volume_attachments`, {
          volumeAttachment: { volumeId: random.pick(found)['id'] },
        });
    }),
  ],
  [
    4,
    onOne(someServer, async (server, { client }) => {
      const path = `${servers}/${server['id']}/os-volume_attachments`;
      const [attached] = await client.list(demo, path, 'volumeAttachments');
      if (attached) await client.send(demo, 'DELETE', `${path}/${attached['volumeId']}`);
    }),
  ],
  [
    3,
    async (run) =>
      run.client.send(demo, 'POST', ports, { port: { network_id: await network(run) } }),
  ],
  [2, onOne(somePort, ({ id }, { client }) => client.send(demo, 'DELETE', `${ports}/${id}`))],
  [
    3,
    onOne(someServer, async (server, run) => {
      const path = `${servers}/${server['id']}/os-interface`;
      const [one] = await run.client.list(demo, path, 'interfaceAttachments');
      await (one && run.random.chance(0.5)
        ? run.client.send(demo, 'DELETE', `${path}/${one['port_id']}`)
        : run.client.send(demo, 'POST', path, {
            interfaceAttachment: { net_id: await network(run) },
          }));
    }),
  ],
  [
    1,
    ({ client, random }) =>
      client.send(demo, 'POST', '/compute/v2.1/os-server-groups', {
        server_group: {
          name: 'chaos',
          policy: random.pick(['affinity', 'anti-affinity', 'soft-anti-affinity']),
        },
      }),
  ],
  [
    1,
    onOne([admin, '/image/v2/images?name=chaos', 'images'], ({ id }, { client }) =>
      client.send(admin, 'DELETE', `/image/v2/images/${id}`),
    ),
  ],
  [5, createLease],
  [
    3,
    onOne(someLease, ({ id }, { client, random }) =>
      random.chance(0.5)
        ? client.send(demo, 'DELETE', `${leases}/${id}`)
        : client.send(demo, 'PUT', `${leases}/${id}`, { prolong_for: '2h' }),
    ),
  ],
  [4, createCluster],
  [
    5,
    onOne(someCluster, ({ id }, { client, random }) =>
      client.send(
        demo,
        'POST',
        `${clusters}/${id}/actions`,
        random.pick<Json>([
          { scale_out: { count: random.between(1, 2) } },
          { scale_in: { count: 1 } },
          { check: {} },
          { recover: { operation: 'RECREATE' } },
        ]),
      ),
    ),
  ],
  [2, onOne(someCluster, ({ id }, { client }) => client.send(demo, 'DELETE', `${clusters}/${id}`))],
  [2, attachHealthPolicy],
  [6, claim],
  [
    4,
    ({ client, random }) =>
      client.send(admin, 'POST', '/_emulator/clock/advance', {
        minutes: random.pick([1, 10, 60, 600]),
      }),
  ],
  [2, addFault],
  [3, ({ client }) => client.send(admin, 'DELETE', '/_emulator/faults')],
  [1, ({ client }) => client.send(admin, 'PUT', '/_emulator/snapshots/chaos', {})],
  [1, ({ client }) => client.send(admin, 'POST', '/_emulator/snapshots/chaos/restore', {})],
  [1, ({ client }) => client.send(admin, 'POST', '/_emulator/purge', {})],
];

const totalWeight = operations.reduce((sum, [weight]) => sum + weight, 0);

/** Chooses an operation by weight. */
export function chooseOperation(random: SeededRandom): Operation {
  let left = random.between(1, totalWeight);
  return operations.find(([weight]) => (left -= weight) <= 0)![1];
}
