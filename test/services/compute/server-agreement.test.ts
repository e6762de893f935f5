// Random sequences of actions: whatever is done to servers, what everybody says of them agrees in the end.
import { expect } from 'chai';
import { onEachDatabase, type World } from '../../support/cloud.ts';
import { Dice } from '../placement/dice.ts';
import { ask, config } from './support.ts';
import { admin, imageId, madeGroup, newest, postServer, type Shown } from './server-makers.ts';

const flavors: Readonly<Record<string, { vcpus: number; ram: number; disk: number }>> = {
  'm1.tiny': { vcpus: 1, ram: 512, disk: 1 },
  'm1.small': { vcpus: 1, ram: 2048, disk: 20 },
  'm1.nano': { vcpus: 1, ram: 192, disk: 1 },
};

const actions: readonly ((dice: Dice) => object)[] = [
  () => ({ 'os-stop': null }),
  () => ({ 'os-start': null }),
  () => ({ pause: null }),
  () => ({ unpause: null }),
  () => ({ suspend: null }),
  () => ({ resume: null }),
  () => ({ shelve: null }),
  () => ({ unshelve: null }),
  () => ({ migrate: null }),
  () => ({ confirmResize: null }),
  () => ({ revertResize: null }),
  () => ({ confirmResize: null }),
  () => ({ revertResize: null }),
  () => ({ 'os-migrateLive': { host: null, block_migration: 'auto' } }),
  () => ({ rebuild: { imageRef: imageId } }),
  () => ({ reboot: { type: 'HARD' } }),
  (dice) => ({ resize: { flavorRef: dice.pick(['1', '2', '42']) } }),
];

interface Hypervisor {
  readonly hypervisor_hostname: string;
  readonly vcpus_used: number;
  readonly running_vms: number;
}

async function list(world: World): Promise<Shown[]> {
  const reply = await ask(world, 'GET', '/servers/detail', { ...admin, version: newest });
  return (reply.body as { servers: Shown[] }).servers;
}

const placement = async <T>(world: World, path: string): Promise<T> =>
  (await world.ask('placement', 'GET', `/placement${path}`, { token: 'admin', version: '1.39' })).body as T;

/** What the servers take, and what everybody else says that they take. */
async function checkAgreement(world: World, group: string): Promise<void> {
  const servers = await list(world);
  const migrations = (await ask(world, 'GET', '/os-migrations', { ...admin, version: newest })).body.migrations as Shown[];
  const figures = servers.map((server) => ({
    ...flavors[(server['flavor'] as { original_name: string }).original_name]!,
    server,
  }));
  const { quota_set: quota } = (await ask(world, 'GET', '/os-quota-sets/demo/detail', { ...admin, version: newest })).body as {
    quota_set: Record<string, { in_use: number }>;
  };
  const sum = (of: (one: (typeof figures)[number]) => number): number => figures.reduce((total, one) => total + of(one), 0);
  expect(quota['instances']!.in_use).to.equal(servers.length);
  expect(quota['cores']!.in_use).to.equal(sum(({ vcpus }) => vcpus));
  expect(quota['ram']!.in_use).to.equal(sum(({ ram }) => ram));
  const members = (await ask(world, 'GET', `/os-server-groups/${group}`, { ...admin, version: newest })).body.server_group
    .members as string[];
  expect(members.toSorted()).to.deep.equal(
    servers
      .filter((one) => (one['scheduler_hints'] as { group?: string[] }).group)
      .map(({ id }) => id)
      .toSorted(),
  );
  for (const { server, vcpus, ram, disk } of figures) {
    const { allocations } = await placement<{ allocations: Record<string, { resources: object }> }>(
      world,
      `/allocations/${server.id}`,
    );
    const expected = server['OS-EXT-SRV-ATTR:host'] === null ? [] : [{ VCPU: vcpus, MEMORY_MB: ram, DISK_GB: disk }];
    expect(
      Object.values(allocations).map(({ resources }) => resources),
      `${server.name} ${server.status}`,
    ).to.deep.equal(expected);
  }
  const open = migrations.filter(({ status }) => status === 'finished');
  const resized = servers.filter(({ status }) => status === 'VERIFY_RESIZE');
  expect(open.map((one) => one['instance_uuid']).toSorted()).to.deep.equal(resized.map(({ id }) => id).toSorted());
  const { hypervisors } = (await ask(world, 'GET', '/os-hypervisors/detail', admin)).body as { hypervisors: Hypervisor[] };
  for (const host of hypervisors) {
    const here = servers.filter((server) => server['OS-EXT-SRV-ATTR:host'] === host.hypervisor_hostname);
    const held = open.filter((one) => one['source_compute'] === host.hypervisor_hostname);
    expect(host.running_vms, host.hypervisor_hostname).to.equal(here.length);
    expect(host.vcpus_used, host.hypervisor_hostname).to.equal(here.length + held.length);
    const ours = [...here.map(({ id }) => id), ...held.map((one) => String(one['instance_uuid']))].filter((id) =>
      members.includes(id),
    );
    expect(ours.length, `members on ${host.hypervisor_hostname}`).to.be.at.most(2);
  }
}

onEachDatabase('compute: random actions', config, (world) => {
  for (const seed of [1, 2, 3]) {
    it(`leave allocations, usages, quotas, groups and hypervisors agreeing (${seed})`, async function () {
      this.timeout(60_000);
      const dice = new Dice(seed);
      const group = await madeGroup(world, 'anti-affinity', { max_server_per_host: 2 });
      for (let step = 0; step < 60; step++) {
        const servers = await list(world);
        if (!servers.length || dice.chance(0.15)) {
          const hints = dice.chance(0.6) ? { group } : {};
          const reply = await postServer(world, { name: `s${step}`, flavorRef: dice.pick(['1', '42']) }, { ...admin, hints });
          expect([202, 403]).to.include(reply.status);
        } else {
          const { id } = dice.pick(servers);
          const reply = dice.chance(0.1)
            ? await ask(world, 'DELETE', `/servers/${id}`, admin)
            : await ask(world, 'POST', `/servers/${id}/action`, { ...admin, version: newest, body: dice.pick(actions)(dice) });
          expect([202, 204, 400, 403, 409], reply.text).to.include(reply.status);
        }
        if (step % 10 === 9) await checkAgreement(world, group);
      }
      for (const { id } of await list(world)) await ask(world, 'DELETE', `/servers/${id}`, admin).expect(204);
      const { hypervisors } = (await ask(world, 'GET', '/os-hypervisors/detail', admin)).body as { hypervisors: Hypervisor[] };
      for (const host of hypervisors) expect([host.vcpus_used, host.running_vms]).to.deep.equal([0, 0]);
    });
  }
});
