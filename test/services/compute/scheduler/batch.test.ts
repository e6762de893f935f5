// Tests of requests for several servers: they are placed as if each server had its own request.
import { expect } from 'chai';
import { SECOND, yieldToEventLoop } from '../../../../src/kernel/clock.ts';
import { onEachDatabase, type World } from '../../../support/cloud.ts';
import { ask, config, flavorOf } from '../support.ts';
import { admin, liftQuotas, madeGroup, newest, postServer } from '../servers/makers.ts';

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

onEachDatabase('compute: several servers of one request', slow, (world) => {
  /** Creates servers before the request, so that the hosts differ. */
  async function prepare({ ram, policy, rules }: Case) {
    await liftQuotas(world);
    for (const [name, size] of Object.entries({ first: 3000, second: 1000 }))
      await postServer(world, { name: `0-${name}`, flavorRef: await flavor(size) }).expect(202);
    const group = policy === undefined ? undefined : await madeGroup(world, policy, rules);
    return { flavorRef: await flavor(ram), hints: group === undefined ? {} : { hints: { group } } };
  }

  async function flavor(ram: number): Promise<string> {
    const reply = await ask(world, 'POST', '/flavors', {
      ...admin,
      body: flavorOf({ name: `ram-${ram}-${Math.round(performance.now() * 1000)}`, ram }),
    }).expect(200);
    return (reply.body as { flavor: { id: string } }).flavor.id;
  }

  for (const one of cases)
    it(`places servers ${one.title} on the hosts that one request for each would select`, async () => {
      const { count } = one;
      const single = await prepare(one);
      for (let index = 1; index <= count; index++)
        await postServer(
          world,
          { name: `s-${index}`, flavorRef: single.flavorRef },
          { ...admin, ...single.hints },
        ).expect(202);
      const sequential = await hostsOf(world);
      expect(sequential).to.have.length(count + 2);
      await deleteAll(world);
      const { flavorRef, hints } = await prepare(one);
      await postServer(
        world,
        { name: 's', flavorRef, min_count: count },
        { ...admin, ...hints },
      ).expect(202);
      expect(await hostsOf(world)).to.deep.equal(sequential);
    });

  it('places none of the servers if one of them has no host', async () => {
    const { flavorRef } = await prepare({ title: '', count: 0, ram: 16_000 });
    await postServer(world, { name: 's', flavorRef, min_count: 20 }, admin).expect(202);
    const hosts = (await hostsOf(world)).slice(2);
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
