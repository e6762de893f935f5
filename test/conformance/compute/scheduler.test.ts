// Compares explanations of servers with the debug log of a real nova-scheduler: a Nova with fake
// computes is captured, and gets the same requests as its copy in the emulator.
import { expect } from 'chai';
import { machineNow } from '../../../src/kernel/clock.ts';
import { Deployment, type Copy } from '../../clients/nova/deployment.ts';
import { missing, novaRelease } from '../../clients/nova/programs.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import {
  addAggregates,
  addFlavors,
  addGroups,
  computeServices,
  countsOf,
  emptiedBy,
  filters,
  hintsOf,
  openZones,
  placedServers,
  randomServerRequest,
  setStates,
  type Count,
  type Json,
  type Placed,
  type Send,
  type ServerRequest,
} from './random-clouds.ts';

/** CUMULET_TEST_SEED=... repeats a run. */
const firstSeed = Number(process.env['CUMULET_TEST_SEED'] ?? machineNow() % 1_000_000);
const [clouds, requests] = [5, 20];
const hosts = ['node-1', 'node-2', 'node-3', 'node-4', 'node-5', 'node-6'];

const options = {
  DEFAULT: ['service_down_time = 3600'],
  filter_scheduler: [`enabled_filters = ${Object.values(filters).join()}`],
  scheduler: ['query_placement_for_availability_zone = false'],
};

describe('Compute: explanations agree with the log of a real nova-scheduler', () => {
  let nova: Deployment;
  let image: string;
  const total = { requests: 0, refused: 0, emptied: new Set<string>() };
  let id = 0;

  before(async function () {
    const reason = await missing('nova.cmd.compute', 'python3-nova');
    if (reason !== undefined) {
      console.log(`    skipped: ${reason}`);
      return this.skip();
    }
    nova = await Deployment.start({ hosts, options });
    console.log(`    Nova ${await novaRelease()}`);
    const { images } = (await nova.ask('image', 'GET', '/images')).body;
    image = images[0].id as string;
    await send('PUT', `/os-quota-sets/${await projectId()}`, {
      quota_set: { instances: -1, cores: -1, ram: -1, server_groups: -1 },
    });
  });
  afterEach(() => clear());
  after(async () => nova?.stop());

  const send: Send = async (method, path, body) =>
    (await nova.ask('nova', method, path, body)).body;

  async function projectId(): Promise<string> {
    const { body } = await nova.ask('identity', 'GET', '/projects?name=admin');
    return body['projects'][0].id as string;
  }

  const bodyOf = (request: ServerRequest, name: string, hints: Json): object => ({
    server: {
      name,
      flavorRef: request.flavor,
      imageRef: image,
      networks: 'none',
      ...(request.zone === undefined ? {} : { availability_zone: request.zone }),
    },
    'os:scheduler_hints': hints,
  });

  /** Creates a server in Nova, and waits until it is built or has failed. */
  async function create(
    request: ServerRequest,
    name: string,
  ): Promise<{ requestId: string; host: string | null }> {
    const body = bodyOf(request, name, hintsOf(request));
    const { body: created, requestId } = await nova.ask('nova', 'POST', '/servers', body);
    let server: Json = {};
    await nova.waitFor('the server', async () => {
      server = (await send('GET', `/servers/${created['server'].id}`))['server'] as Json;
      return server['status'] !== 'BUILD';
    });
    return { requestId, host: server['OS-EXT-SRV-ATTR:host'] as string | null };
  }

  /** The counts that the scheduler has logged for a request. */
  function logged(requestId: string): Count[] {
    const counts: Count[] = [];
    for (const line of nova.log('api').split('\n')) {
      if (!line.includes(requestId)) continue;
      const start = / Starting with (\d+) host/.exec(line);
      if (start) counts.push(['start', Number(start[1])]);
      const filter = / Filter (\w+) returned (\d+) host/.exec(line);
      if (filter) counts.push([filter[1]!, Number(filter[2])]);
    }
    return counts.length ? counts : [['start', 0]];
  }

  /** Gives Nova's computes random states, zones, aggregates and servers. */
  async function prepare(random: SeededRandom): Promise<{ flavors: string[]; groups: string[] }> {
    await addAggregates(random, send, hosts, await projectId());
    const groups = await addGroups(random, send);
    const flavors = await addFlavors(send);
    for (let count = random.between(3, 6); count > 0; count--) {
      const group = random.chance(0.6) ? random.pick(groups) : undefined;
      const request = { flavor: flavors[0]!, zone: undefined, same_host: [], different_host: [] };
      await create({ ...request, group }, `server-${++id}`);
    }
    await setStates(random, send);
    return { flavors, groups };
  }

  /** Deletes what `prepare` and the requests have created. */
  async function clear(): Promise<void> {
    for (const service of await computeServices(send))
      await send('PUT', `/os-services/${service['id']}`, { forced_down: false, status: 'enabled' });
    const listed = async () => (await send('GET', '/servers?all_tenants=1'))['servers'] as Json[];
    for (const { id: server } of await listed()) await send('DELETE', `/servers/${server}`);
    await nova.waitFor('the end of all servers', async () => !(await listed()).length);
    const { aggregates } = await send('GET', '/os-aggregates');
    for (const { id: aggregate, hosts: members } of aggregates as Json[]) {
      for (const host of members as string[])
        await send('POST', `/os-aggregates/${aggregate}/action`, { remove_host: { host } });
      await send('DELETE', `/os-aggregates/${aggregate}`);
    }
  }

  /** A server of the copy, where its explanation says how it got its host. */
  async function createInCopy(
    copy: Copy,
    request: ServerRequest,
    name: string,
    host: string | null,
  ): Promise<Count[]> {
    const sendTo: Send = async (method, path, body) =>
      (await copy.send('nova', method, path, body)).body;
    const inCopy = new Map((await placedServers(sendTo)).map((one) => [one.name, one.id]));
    const hints = hintsOf(request, (server: Placed) => inCopy.get(server.name)!);
    const body = bodyOf(request, name, hints) as { server: Json };
    const { server } = await sendTo('POST', '/servers', body);
    const explained = await copy.ask('_emulator', `/explain/servers/${server.id}`);
    const { details } = explained['explanation'] as Json;
    // Hosts of equal weight are ordered by chance in Nova. The next requests find equal clouds.
    if (host !== details.selected) {
      await sendTo('DELETE', `/servers/${server.id}`);
      await sendTo('POST', '/servers', { ...body, server: { ...body.server, host } });
    }
    return countsOf(details as Json);
  }

  async function compare(
    random: SeededRandom,
    copy: Copy,
    prepared: { flavors: string[]; groups: string[] },
  ): Promise<void> {
    const now = { servers: await placedServers(send), zones: await openZones(send) };
    const request = randomServerRequest(random, prepared, now);
    const name = `server-${++id}`;
    const { requestId, host } = await create(request, name);
    const theirs = logged(requestId);
    const ours = await createInCopy(copy, request, name, host);
    expect(ours, JSON.stringify(request)).to.deep.equal(theirs);
    total.requests++;
    if (host === null) total.refused++;
    const filter = emptiedBy(ours);
    if (filter !== undefined) total.emptied.add(filter);
  }

  for (let seed = firstSeed; seed < firstSeed + clouds; seed++)
    it(`for ${requests} requests to ${hosts.length} computes, seed ${seed}`, async () => {
      const random = new SeededRandom(seed);
      const prepared = await prepare(random);
      const copy = await nova.startCopy(await nova.capture());
      try {
        await copy.send('_emulator', 'PUT', '/explain', { all: true });
        for (let count = 0; count < requests; count++) await compare(random, copy, prepared);
      } finally {
        await copy.stop();
      }
    });

  it('with requests that filters refuse', () => {
    const { refused, emptied } = total;
    console.log(
      `    ${total.requests} requests, ${refused} without a host: none was left after ` +
        [...emptied].toSorted().join(', '),
    );
    expect(emptied).to.have.length.greaterThan(2);
  });
});
