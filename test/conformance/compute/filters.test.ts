// Compares explanations of servers with the filters of the real nova-scheduler: for random hosts
// and requests, each filter passes as many hosts in both.
import { expect } from 'chai';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { clientFor, type Client } from '../../../bench/client.ts';
import { machineNow } from '../../../src/kernel/clock.ts';
import { cirrosId } from '../../../src/services/image/index.ts';
import { ownCloud } from '../../support/cloud.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import { PythonProcess } from '../python.ts';

/** CUMULET_TEST_SEED=... repeats a run. */
const firstSeed = Number(process.env['CUMULET_TEST_SEED'] ?? machineNow() % 1_000_000);
const [clouds, requests, hostCount] = [10, 12, 9];
const project = 'bench';
const zones = ['az1', 'az2'];
const scope = 'aggregate_instance_extra_specs:';

/** Nova's names of the filters that both have, in the order in which they run. */
const filters: Readonly<Record<string, string>> = {
  compute: 'ComputeFilter',
  'availability zone': 'AvailabilityZoneFilter',
  'tenants of aggregates': 'AggregateMultiTenancyIsolation',
  'extra specs of aggregates': 'AggregateInstanceExtraSpecsFilter',
  'anti-affinity': 'ServerGroupAntiAffinityFilter',
  affinity: 'ServerGroupAffinityFilter',
  'same host': 'SameHostFilter',
  'different host': 'DifferentHostFilter',
};

// oxlint-disable-next-line typescript/no-explicit-any
type Json = Record<string, any>;

/** A filter, or the start, with the number of hosts that pass. */
type Count = readonly [name: string, hosts: number];

describe('Compute: explanations agree with the filters of the real Nova', () => {
  let nova: PythonProcess;
  let opened: NonNullable<Awaited<ReturnType<typeof ownCloud>>>;
  let [compute, emulator]: Client[] = [];
  let id = 0;
  const emptied = new Set<string>();

  before(async function () {
    const script = new URL('filters.py', import.meta.url);
    const started = PythonProcess.start(script, 'nova.scheduler.host_manager');
    if (!started) return this.skip();
    nova = started;
    opened = (await ownCloud('sqlite', { auth: 'noauth2', hosts: String(hostCount) }))!;
    if (!opened.server.listening) await once(opened.server, 'listening');
    const origin = `http://127.0.0.1:${(opened.server.address() as AddressInfo).port}`;
    compute = clientFor(`${origin}/compute/v2.1`, { service: 'compute', newest: '2.87' });
    emulator = clientFor(`${origin}/_emulator`);
  });
  after(async () => {
    for (const client of [compute, emulator]) client?.close();
    await opened?.close();
    await nova?.stop();
  });

  const send = async (method: string, path: string, body?: object): Promise<Json> =>
    (await compute!.must({ method, path, body })) as Json;

  /** Resets the cloud, and gives its hosts random states, zones, aggregates and servers. */
  async function prepare(random: SeededRandom): Promise<{ flavors: string[]; groups: string[] }> {
    await emulator!.must({ method: 'POST', path: '/reset', body: {} });
    await emulator!.must({ method: 'PUT', path: '/explain', body: { all: true } });
    await send('PUT', `/os-quota-sets/${project}`, {
      quota_set: { instances: -1, cores: -1, ram: -1, server_groups: -1 },
    });
    const { services } = await send('GET', '/os-services?binary=nova-compute');
    const hosts = (services as Json[]).map((one) => String(one['host']));
    await addAggregates(random, hosts);
    const groups: string[] = [];
    for (const policy of ['affinity', 'anti-affinity', 'anti-affinity']) {
      const rules =
        policy === 'anti-affinity' && random.chance(0.5) ? { max_server_per_host: 2 } : {};
      const made = await send('POST', '/os-server-groups', {
        server_group: { name: `group-${++id}`, policy, rules },
      });
      groups.push(made['server_group'].id as string);
    }
    for (let count = random.between(4, 12); count > 0; count--)
      await addServer(random.chance(0.6) ? { group: random.pick(groups) } : {}, '1');
    const states = [{ forced_down: true }, { status: 'disabled' }];
    for (const service of services as Json[])
      if (random.chance(0.3))
        await send('PUT', `/os-services/${service['id']}`, random.pick(states));
    return { flavors: await addFlavors(), groups };
  }

  async function addAggregates(random: SeededRandom, hosts: readonly string[]): Promise<void> {
    const zoneOf = new Map(hosts.map((host) => [host, random.pick([...zones, undefined])]));
    const add = async (zone: string | null, members: readonly string[], metadata: object) => {
      const made = await send('POST', '/os-aggregates', {
        aggregate: { name: `aggregate-${++id}`, availability_zone: zone },
      });
      const path = `/os-aggregates/${made['aggregate'].id}/action`;
      for (const host of members) await send('POST', path, { add_host: { host } });
      if (Object.keys(metadata).length) await send('POST', path, { set_metadata: { metadata } });
    };
    for (const zone of zones) {
      const members = hosts.filter((host) => zoneOf.get(host) === zone);
      await add(zone, members, {});
    }
    for (const metadata of [
      { filter_tenant_id: 'other' },
      { filter_tenant_id: `other,${project}` },
      { disk: 'ssd', generation: '7' },
      { disk: 'hdd', generation: '9' },
    ])
      await add(null, random.some(hosts, 'disk' in metadata ? 0.5 : 0.25), metadata);
  }

  /** Flavors with extra specs for aggregates, and the smallest one without. */
  async function addFlavors(): Promise<string[]> {
    const flavors = ['1'];
    for (const specs of [
      { [`${scope}disk`]: 'ssd' },
      { [`${scope}disk`]: '<or> ssd <or> hdd' },
      { [`${scope}generation`]: '>= 8', 'hw:cpu_policy': 'shared' },
      { [`${scope}disk`]: 's!= hdd', [`${scope}generation`]: '<= 7' },
    ]) {
      const flavor = { name: `flavor-${++id}`, vcpus: 1, ram: 64, disk: 1 };
      const made = await send('POST', '/flavors', { flavor });
      const path = `/flavors/${made['flavor'].id}/os-extra_specs`;
      await send('POST', path, { extra_specs: specs });
      flavors.push(made['flavor'].id as string);
    }
    return flavors;
  }

  async function addServer(hints: object, flavorRef: string, zone?: string): Promise<string> {
    const server = { name: `server-${++id}`, flavorRef, imageRef: cirrosId, networks: 'none' };
    const made = await send('POST', '/servers', {
      server: { ...server, ...(zone === undefined ? {} : { availability_zone: zone }) },
      'os:scheduler_hints': hints,
    });
    const created = made['server'].id as string;
    await send('GET', `/servers/${created}`); // by then the server is scheduled
    return created;
  }

  /** The zones with an enabled host: the API refuses the others. */
  async function openZones(): Promise<string[]> {
    const { availabilityZoneInfo: listed } = await send('GET', '/os-availability-zone');
    return (listed as Json[])
      .filter(({ zoneState }) => zoneState.available)
      .map(({ zoneName }) => String(zoneName));
  }

  /** The servers of the cloud that are on a host. */
  async function placedServers(): Promise<readonly { id: string; host: string }[]> {
    const { servers } = await send('GET', '/servers/detail?all_tenants=1');
    return (servers as Json[])
      .map((one) => ({ id: String(one['id']), host: one['OS-EXT-SRV-ATTR:host'] as string }))
      .filter(({ host }) => host);
  }

  /** The hosts of the cloud as Nova's host manager has them. Placement leaves out disabled ones. */
  async function novaHosts(servers: readonly { id: string; host: string }[]): Promise<object[]> {
    const { services } = await send('GET', '/os-services?binary=nova-compute');
    const { aggregates } = await send('GET', '/os-aggregates');
    return (services as Json[])
      .filter(({ status }) => status === 'enabled')
      .map((service) => ({
        host: service['host'],
        disabled: false,
        down: service['state'] === 'down',
        aggregates: (aggregates as Json[]).filter(({ hosts }) => hosts.includes(service['host'])),
        servers: servers.filter(({ host }) => host === service['host']).map((one) => one.id),
      }));
  }

  async function askBoth(
    random: SeededRandom,
    { flavors, groups }: { flavors: string[]; groups: string[] },
  ): Promise<{ ours: Count[]; theirs: Count[]; label: string }> {
    const servers = await placedServers();
    const flavor = random.pick([flavors[0]!, ...flavors]);
    const zone = random.chance(0.4) ? random.pick(await openZones()) : undefined;
    const hint = random.pick(['group', 'group', 'group', 'same_host', 'different_host', '']);
    const named = random.shuffled(servers).slice(0, random.between(1, 3));
    const ids = named.map((server) => server.id);
    const hints: Json =
      hint === 'group' ? { group: random.pick(groups) } : hint && ids.length ? { [hint]: ids } : {};
    const specs = await send('GET', `/flavors/${flavor}/os-extra_specs`);
    const question = {
      hosts: await novaHosts(servers),
      spec: {
        project_id: project,
        zone: zone ?? null,
        extra_specs: specs['extra_specs'],
        group: hints['group'] ? await groupOf(hints['group'] as string, servers) : null,
        hints: Object.fromEntries(
          Object.entries(hints).map(([name, value]) => [name, [value].flat()]),
        ),
      },
    };
    const theirs = (await nova.ask(question)) as Count[];
    const server = await addServer(hints, flavor, zone);
    const path = `/explain/servers/${server}`;
    const reply = (await emulator!.must({ method: 'GET', path })) as Json;
    return {
      ours: countsOf(reply['explanation'].details as Json),
      theirs,
      label: JSON.stringify(question.spec),
    };
  }

  async function groupOf(group: string, servers: readonly { id: string; host: string }[]) {
    const shown = (await send('GET', `/os-server-groups/${group}`))['server_group'] as Json;
    const members = shown['members'] as string[];
    const hosts = servers.filter((server) => members.includes(server.id)).map(({ host }) => host);
    const { policy, rules } = shown;
    return { id: group, policy, rules, members, hosts: [...new Set(hosts)] };
  }

  /** The counts of an explanation as Nova logs them: until no host is left. */
  function countsOf({ candidates, filters: steps }: Json): Count[] {
    const counts: Count[] = [['start', candidates as number]];
    for (const { filter, passed } of steps as Json[]) {
      const name = filters[filter as string];
      if (name === undefined || counts.at(-1)![1] === 0) continue;
      counts.push([name, passed as number]);
      if (passed === 0) emptied.add(name);
    }
    return counts;
  }

  for (let seed = firstSeed; seed < firstSeed + clouds; seed++)
    it(`for ${requests} requests to ${hostCount} hosts, seed ${seed}`, async () => {
      const random = new SeededRandom(seed);
      const prepared = await prepare(random);
      for (let count = 0; count < requests; count++) {
        const { ours, theirs, label } = await askBoth(random, prepared);
        expect(ours, label).to.deep.equal(theirs);
      }
    });

  it('with requests that filters refuse', () => {
    console.log(`    no host was left after ${[...emptied].toSorted().join(', ')}`);
    expect(emptied).to.have.length.greaterThan(3);
  });
});
