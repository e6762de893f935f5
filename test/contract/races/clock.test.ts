// Moves the clock through two processes at once: moves add up, and each due job and each round of a
// periodic job runs once.
import { expect } from 'chai';
import { cirrosId } from '../../../src/services/image/index.ts';
import { onTwoProcesses } from '../../support/processes.ts';

const noon = '2026-11-20T12:00:00Z';
const evening = '2026-11-20T18:00:00Z';

/** Reads that show what due jobs have done, with the times at which they did it. */
const reads = [
  '/clustering/v1/clusters',
  '/clustering/v1/nodes?sort=name',
  '/clustering/v1/actions?sort=created_at,name',
  '/clustering/v1/events?sort=timestamp&limit=1000',
  '/reservation/v1/leases',
  '/compute/v2.1/servers/detail?all_tenants=1',
  '/volume/v3/volumes/detail',
];

const flags = ['--hosts', '3', '--latency', 'server.create=40s,server.delete=20s'];

onTwoProcesses('the clock of two processes', flags, (origins) => {
  beforeEach(async () => {
    await send('POST', '/_emulator/reset');
    await send('PUT', '/_emulator/clock', { now: noon, frozen: true });
  });

  async function send(
    method: string,
    path: string,
    body?: object,
    at: 0 | 1 = 0,
  ): Promise<Record<string, unknown>> {
    const headers = {
      'x-auth-token': 'admin:demo',
      ...(path.startsWith('/clustering') ? { 'openstack-api-version': 'clustering 1.14' } : {}),
      ...(body ? { 'content-type': 'application/json' } : {}),
    };
    const text = body && { body: JSON.stringify(body) };
    const reply = await fetch(`${origins()[at]}${path}`, { method, headers, ...text });
    const found = await reply.text();
    expect(reply.status, `${method} ${path}: ${found}`).to.be.lessThan(300);
    return (found ? JSON.parse(found) : {}) as Record<string, unknown>;
  }

  /** Creates a resource. @returns its id */
  const create = async (path: string, body: object): Promise<string> =>
    (Object.values(await send('POST', path, body))[0] as { id: string }).id;

  /** Creates leases, and a cluster with a node whose server is gone, which is recovered later. */
  async function fill(): Promise<void> {
    await create('/reservation/v1/os-hosts', { name: 'compute-1' });
    await send('PUT', '/_emulator/reservation/settings', { monitor_interval: 60 });
    for (const hour of [13, 14, 15])
      await create('/reservation/v1/leases', {
        name: `at ${hour}`,
        start_date: `2026-11-20 ${hour}:00`,
        end_date: `2026-11-20 ${hour}:30`,
        reservations: [
          {
            resource_type: 'physical:host',
            min: 1,
            max: 1,
            hypervisor_properties: '',
            resource_properties: '',
          },
        ],
      });
    const spec = (type: string, version: string, properties: object) => ({
      name: 'one',
      spec: { type, version, properties },
    });
    const profile_id = await create('/clustering/v1/profiles', {
      profile: spec('os.nova.server', '1.0', { flavor: '42', image: cirrosId, name: 'server' }),
    });
    const cluster = await create('/clustering/v1/clusters', {
      cluster: {
        name: 'one',
        profile_id,
        desired_capacity: 3,
        config: { 'node.name.format': 'node-$I' },
      },
    });
    await send('POST', '/_emulator/clock/advance', { minutes: 5 });
    const policy_id = await create('/clustering/v1/policies', {
      policy: spec('senlin.policy.health', '1.1', {
        detection: {
          interval: 60,
          node_update_timeout: 30,
          detection_modes: [{ type: 'NODE_STATUS_POLLING' }],
        },
        recovery: { actions: [{ name: 'RECREATE' }] },
      }),
    });
    await send('POST', `/clustering/v1/clusters/${cluster}/actions`, {
      policy_attach: { policy_id, enabled: true },
    });
    const { nodes } = (await send('GET', '/clustering/v1/nodes?sort=name')) as {
      nodes: { physical_id: string }[];
    };
    await send('DELETE', `/compute/v2.1/servers/${nodes[1]!.physical_id}`);
  }

  interface Moved {
    readonly jobs_run: number;
    readonly rounds_skipped: number;
    readonly jobs_set_aside: number;
  }

  /** Moves the clock to the evening, and reads the state. */
  async function move(processes: readonly (0 | 1)[]): Promise<{ jobs: number; state: unknown }> {
    await fill();
    const moved = (await Promise.all(
      processes.map((at) => send('PUT', '/_emulator/clock', { now: evening }, at)),
    )) as unknown as Moved[];
    expect(moved.map((one) => one.jobs_set_aside)).to.deep.equal(processes.map(() => 0));
    const jobs = moved.reduce((sum, one) => sum + one.jobs_run + one.rounds_skipped, 0);
    const state: unknown[] = [];
    for (const path of reads) state.push(withoutIds(await send('GET', path)));
    return { jobs, state };
  }

  it('runs each job and each round once while both catch up', async () => {
    const alone = await move([0]);
    await send('POST', '/_emulator/reset');
    await send('PUT', '/_emulator/clock', { now: noon, frozen: true });
    const together = await move([0, 1]);
    expect(together.state).to.deep.equal(alone.state);
    expect(together.jobs).to.equal(alone.jobs);
    // Six hours of checks of the cluster and of the hosts, each minute.
    expect(alone.jobs).to.be.greaterThan(600);
  });

  it('adds up concurrent moves by a duration', async () => {
    await Promise.all(
      Array.from({ length: 8 }, (_, count) =>
        send('POST', '/_emulator/clock/advance', { minutes: 10 }, count % 2 ? 1 : 0),
      ),
    );
    const { now } = await send('GET', '/_emulator/clock');
    expect(now).to.equal('2026-11-20T13:20:00.000000Z');
  });
});

const generated =
  /[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}|(?<=node[-_])[A-Za-z0-9]{8}|(?:[0-9a-f]{2}:){5}[0-9a-f]{2}|r-[0-9a-z]{8}|instance-[0-9a-f]{8}|(?<=\b|_)[0-9a-f]{8}\b/g;

/** Replaces what is generated, and sorts lists, because ids decide the order of equal times. */
function withoutIds(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(generated, '<generated>');
  if (Array.isArray(value))
    return value.map(withoutIds).toSorted((one, other) => {
      const [a, b] = [JSON.stringify(one), JSON.stringify(other)];
      return a < b ? -1 : a > b ? 1 : 0;
    });
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withoutIds(one)]));
}
