// Tests of servers that are placed together, because one request asks for them or because several
// requests are due: each is placed as if its request had been handled alone.
import { expect } from 'chai';
import { SECOND, yieldToEventLoop } from '../../../../src/kernel/clock.ts';
import { onEachDatabase, type World } from '../../../support/cloud.ts';
import { ask, config, flavorOf } from '../support.ts';
import { admin, liftQuotas, madeGroup, newest, postServer, showServer } from '../servers/makers.ts';
import { requestTogether, type Requested } from '../servers/together.ts';

interface Listed {
  readonly name: string;
  readonly status: string;
  readonly 'OS-EXT-SRV-ATTR:host': string | null;
}

/** The hosts of all servers in the order of their names; null for one without a host. */
async function hostsOf(world: World): Promise<(string | null)[]> {
  const path = '/servers/detail';
  const reply = await ask(world, 'GET', path, { ...admin, version: newest }).expect(200);
  const { servers } = reply.body as { servers: Listed[] };
  return servers
    .toSorted((one, other) => one.name.localeCompare(other.name, undefined, { numeric: true }))
    .map((server) => server['OS-EXT-SRV-ATTR:host']);
}

async function flavorWith(world: World, ram: number): Promise<string> {
  const reply = await ask(world, 'POST', '/flavors', {
    ...admin,
    body: flavorOf({ name: `ram-${ram}-${Math.round(performance.now() * 1000)}`, ram }),
  }).expect(200);
  return (reply.body as { flavor: { id: string } }).flavor.id;
}

async function deleteAll(world: World): Promise<void> {
  const reply = await ask(world, 'GET', '/servers', admin).expect(200);
  for (const { id } of (reply.body as { servers: { id: string }[] }).servers)
    await ask(world, 'DELETE', `/servers/${id}`, admin).expect(204);
}

/** A request, with a scheduler hint for a group of the policy. */
interface Case {
  readonly title: string;
  readonly count: number;
  readonly ram: number;
  readonly policy?: string;
  readonly rules?: object;
}

const cases: readonly Case[] = [
  { title: 'without a group', count: 12, ram: 512 },
  { title: 'that fill the hosts', count: 7, ram: 16_000 },
  {
    title: 'in an anti-affinity group',
    count: 9,
    ram: 512,
    policy: 'anti-affinity',
    rules: { max_server_per_host: 3 },
  },
  { title: 'in an affinity group', count: 5, ram: 1024, policy: 'affinity' },
  { title: 'in a soft-affinity group', count: 6, ram: 16_000, policy: 'soft-affinity' },
  { title: 'in a soft-anti-affinity group', count: 8, ram: 512, policy: 'soft-anti-affinity' },
];

// With a latency, servers are still being spawned when the next ones are placed, which weighs.
const slow = { ...config, latency: { 'server.create': 1000 * SECOND } };

/** Creates servers that are placed together, with the names `s-1`, `s-2` and so on. */
type CreateTogether = (
  world: World,
  count: number,
  flavorRef: string,
  hints: Readonly<Record<string, unknown>>,
) => Promise<unknown>;

/** Tests that servers are placed on the hosts that one request after another would select. */
function placesLikeSingleRequests(world: World, create: CreateTogether): void {
  /** Creates servers before the request, so that the hosts differ. */
  async function prepare({ ram, policy, rules }: Case) {
    await liftQuotas(world);
    for (const [name, size] of Object.entries({ first: 3000, second: 1000 }))
      await postServer(world, { name: `0-${name}`, flavorRef: await flavor(size) }).expect(202);
    const group = policy === undefined ? undefined : await madeGroup(world, policy, rules);
    return { flavorRef: await flavor(ram), hints: group === undefined ? {} : { group } };
  }

  const flavor = (ram: number): Promise<string> => flavorWith(world, ram);

  for (const one of cases)
    it(`places servers ${one.title} on the hosts that one request for each would select`, async () => {
      const { count } = one;
      const single = await prepare(one);
      for (let index = 1; index <= count; index++)
        await postServer(
          world,
          { name: `s-${index}`, flavorRef: single.flavorRef },
          { ...admin, hints: single.hints },
        ).expect(202);
      const sequential = await hostsOf(world);
      expect(sequential).to.have.length(count + 2);
      await deleteAll(world);
      const { flavorRef, hints } = await prepare(one);
      await create(world, count, flavorRef, hints);
      expect(await hostsOf(world)).to.deep.equal(sequential);
    });
}

onEachDatabase('compute: several servers of one request', slow, (world) => {
  placesLikeSingleRequests(world, (_world, min_count, flavorRef, hints) =>
    postServer(world, { name: 's', flavorRef, min_count }, { ...admin, hints }).expect(202),
  );

  it('places none of the servers if one of them has no host', async () => {
    await liftQuotas(world);
    const flavorRef = await flavorWith(world, 16_000);
    await postServer(world, { name: 's', flavorRef, min_count: 20 }, admin).expect(202);
    const hosts = await hostsOf(world);
    expect(hosts).to.deep.equal(Array.from({ length: 20 }, () => null));
    const reply = await ask(world, 'GET', '/os-hypervisors/statistics', admin).expect(200);
    expect(reply.body.hypervisor_statistics.memory_mb_used).to.be.below(16_000);
  });
});

onEachDatabase('compute: the build of servers', config, (world) => {
  it('starts after the reply, before another request', async () => {
    await postServer(world, { min_count: 2 }, admin).expect(202);
    const { database, jobs } = world.cloud.firstRegion;
    const states = () =>
      database.db('compute_servers').orderBy('id').pluck('vm_state') as Promise<string[]>;
    // The reply is on its way before the jobs start.
    while ((await states()).includes('building')) {
      await jobs.busy;
      await yieldToEventLoop();
    }
    expect(await states()).to.deep.equal(['active', 'active']);
  });
});

const requested: CreateTogether = (world, count, flavorRef, hints) =>
  requestTogether(
    world,
    Array.from({ length: count }, (_, index) => ({ name: `s-${index + 1}`, flavorRef })),
    hints,
  );

onEachDatabase('compute: requests that are due together', config, (world) => {
  placesLikeSingleRequests(world, requested);

  const statuses = async (made: readonly Requested[]): Promise<string[]> => {
    const shown: string[] = [];
    for (const { id } of made) shown.push((await showServer(world, id)).status);
    return shown;
  };

  const memoryUsed = async (): Promise<number> => {
    const reply = await ask(world, 'GET', '/os-hypervisors/statistics', admin).expect(200);
    const { memory_mb_used: used } = (
      reply.body as { hypervisor_statistics: { memory_mb_used: number } }
    ).hypervisor_statistics;
    return used;
  };

  it('fails the server alone that has no host', async () => {
    const group = await madeGroup(world, 'anti-affinity');
    const made = await requestTogether(world, [{}, {}, {}, {}], { group });
    expect(await statuses(made)).to.deep.equal(['ACTIVE', 'ACTIVE', 'ACTIVE', 'ERROR']);
    expect(new Set(await hostsOf(world)).size).to.equal(4);
    const { fault } = await showServer(world, made[3]!.id);
    expect(fault?.message).to.equal(
      'No valid host was found. There are not enough hosts available.',
    );
  });

  it('fails the server alone whose port another one has taken', async () => {
    const create = async (path: string, name: string, fields: object): Promise<string> => {
      const asked = { token: 'admin:demo', body: { [name]: fields } };
      const reply = await world.ask('network', 'POST', `/network/v2.0/${path}`, asked).expect(201);
      return (reply.body as Record<string, { id: string }>)[name]!.id;
    };
    const network_id = await create('networks', 'network', {});
    await create('subnets', 'subnet', { network_id, cidr: '10.9.0.0/24', ip_version: 4 });
    const networks = [{ port: await create('ports', 'port', { network_id }) }];
    const before = await memoryUsed();
    const made = await requestTogether(world, [{ networks }, { networks }, {}]);
    expect(await statuses(made)).to.deep.equal(['ACTIVE', 'ERROR', 'ACTIVE']);
    expect((await memoryUsed()) - before).to.equal(2 * 512);
  });

  it('builds those that are not deleted before', async () => {
    const [gone, ...others] = await requestTogether(world, [{}, {}, {}]);
    const { db } = world.cloud.firstRegion.database;
    await db('compute_servers').where({ uuid: gone!.id }).update({ task_state: null });
    expect(await statuses(others)).to.deep.equal(['ACTIVE', 'ACTIVE']);
    expect((await showServer(world, gone!.id)).status).to.equal('BUILD');
  });

  it('builds servers with different flavors', async () => {
    const flavors = [await flavorWith(world, 512), await flavorWith(world, 1024)];
    const before = await memoryUsed();
    const refs = [0, 0, 1, 1, 0].map((index) => ({ flavorRef: flavors[index]! }));
    const made = await requestTogether(world, refs);
    expect(new Set(await statuses(made))).to.deep.equal(new Set(['ACTIVE']));
    expect((await memoryUsed()) - before).to.equal(3 * 512 + 2 * 1024);
  });

  const observe = async (all: boolean): Promise<void> => {
    await world.http.put('/_emulator/explain').send({ all }).expect(200);
    const keep = all ? 100 : 0;
    await world.http.put('/_emulator/notifications').send({ keep }).expect(200);
  };

  afterEach(() => observe(false)); // a reset keeps these settings

  it('are explained and reported under their own ids', async () => {
    await observe(true);
    const made = await requestTogether(world, [{}, {}, {}]);
    expect(await statuses(made)).to.deep.equal(['ACTIVE', 'ACTIVE', 'ACTIVE']);
    for (const { id, requestId } of made) {
      const why = await world.http.get(`/_emulator/explain/servers/${id}`).expect(200);
      expect(why.body.explanation).to.include({ request_id: requestId, outcome: 'success' });
      const query = `request=${requestId}&event_type=instance.create.end`;
      const { body } = await world.http.get(`/_emulator/notifications?${query}`).expect(200);
      expect(body.notifications).to.have.length(1);
      expect(JSON.stringify(body.notifications)).to.include(id);
    }
  });
});

onEachDatabase('compute: requests that are due together, with a latency', slow, (world) => {
  placesLikeSingleRequests(world, requested);

  it('become active after the latency', async () => {
    const made = await requestTogether(world, [{}, {}]);
    expect(await showServer(world, made[1]!.id)).to.include({ status: 'BUILD' });
    await world.http.post('/_emulator/clock/advance').send({ seconds: 1000 }).expect(200);
    for (const { id } of made) expect(await showServer(world, id)).to.include({ status: 'ACTIVE' });
  });
});
