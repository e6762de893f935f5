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
import {
  addAggregates,
  addFlavors,
  addGroups,
  computeServices,
  countsOf,
  emptiedBy,
  hintsOf,
  openZones,
  placedServers,
  randomServerRequest,
  setStates,
  type Count,
  type Json,
  type Placed,
} from './random-clouds.ts';

/** CUMULET_TEST_SEED=... repeats a run. */
const firstSeed = Number(process.env['CUMULET_TEST_SEED'] ?? machineNow() % 1_000_000);
const [clouds, requests, hostCount] = [10, 12, 9];
const project = 'bench';

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
    const hosts = (await computeServices(send)).map((one) => String(one['host']));
    await addAggregates(random, send, hosts, project);
    const groups = await addGroups(random, send);
    const flavors = await addFlavors(send);
    for (let count = random.between(4, 12); count > 0; count--)
      await addServer(random.chance(0.6) ? { group: random.pick(groups) } : {}, flavors[0]!);
    await setStates(random, send);
    return { flavors, groups };
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

  /** The hosts of the cloud as Nova's host manager has them. Placement leaves out disabled ones. */
  async function novaHosts(servers: readonly Placed[]): Promise<object[]> {
    const services = await computeServices(send);
    const { aggregates } = await send('GET', '/os-aggregates');
    return services
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
    prepared: { flavors: string[]; groups: string[] },
  ): Promise<{ ours: Count[]; theirs: Count[]; label: string }> {
    const servers = await placedServers(send);
    const zones = await openZones(send);
    const request = randomServerRequest(random, prepared, { servers, zones });
    const { flavor, zone, group } = request;
    const hints = hintsOf(request);
    const specs = await send('GET', `/flavors/${flavor}/os-extra_specs`);
    const question = {
      hosts: await novaHosts(servers),
      spec: {
        project_id: project,
        zone: zone ?? null,
        extra_specs: specs['extra_specs'],
        group: group === undefined ? null : await groupOf(group, servers),
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

  async function groupOf(group: string, servers: readonly Placed[]) {
    const shown = (await send('GET', `/os-server-groups/${group}`))['server_group'] as Json;
    const members = shown['members'] as string[];
    const hosts = servers.filter((server) => members.includes(server.id)).map(({ host }) => host);
    const { policy, rules } = shown;
    return { id: group, policy, rules, members, hosts: [...new Set(hosts)] };
  }

  for (let seed = firstSeed; seed < firstSeed + clouds; seed++)
    it(`for ${requests} requests to ${hostCount} hosts, seed ${seed}`, async () => {
      const random = new SeededRandom(seed);
      const prepared = await prepare(random);
      for (let count = 0; count < requests; count++) {
        const { ours, theirs, label } = await askBoth(random, prepared);
        expect(ours, label).to.deep.equal(theirs);
        const filter = emptiedBy(ours);
        if (filter !== undefined) emptied.add(filter);
      }
    });

  it('with requests that filters refuse', () => {
    console.log(`    no host was left after ${[...emptied].toSorted().join(', ')}`);
    expect(emptied).to.have.length.greaterThan(3);
  });
});
