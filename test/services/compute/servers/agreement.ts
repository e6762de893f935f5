// Compares the servers with what all services say about them: allocations, hypervisors, quotas,
// groups, ports and volumes.
import { expect } from 'chai';
import type { World } from '../../../support/cloud.ts';
import type { SeededRandom } from '../../../support/seeded-random.ts';
import { ask } from '../support.ts';
import { admin, imageId, newest, type Shown } from './makers.ts';

/** The seeded flavors that random servers have, by name. */
const flavors: Readonly<Record<string, { vcpus: number; ram: number; disk: number }>> = {
  'm1.tiny': { vcpus: 1, ram: 512, disk: 1 },
  'm1.small': { vcpus: 1, ram: 2048, disk: 20 },
  'm1.nano': { vcpus: 1, ram: 192, disk: 1 },
};

interface Hypervisor {
  readonly hypervisor_hostname: string;
  readonly vcpus_used: number;
  readonly memory_mb_used: number;
  readonly running_vms: number;
}

/** The actions on a server. */
export const actions: readonly ((dice: SeededRandom) => object)[] = [
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
  () => ({ evacuate: {} }),
  () => ({ createImage: { name: 'snapshot' } }),
  () => ({ 'os-resetState': { state: 'active' } }),
  () => ({ rebuild: { imageRef: imageId } }),
  () => ({ reboot: { type: 'HARD' } }),
  (dice) => ({ resize: { flavorRef: dice.pick(['1', '2', '42']) } }),
];

/** Lists all servers of the project at the newest microversion. */
export async function listServers(world: World): Promise<Shown[]> {
  const reply = await ask(world, 'GET', '/servers/detail', { ...admin, version: newest });
  return (reply.body as { servers: Shown[] }).servers;
}

/** Lists the hosts with their usage. */
export async function listHypervisors(world: World): Promise<Hypervisor[]> {
  return (
    (await ask(world, 'GET', '/os-hypervisors/detail', admin)).body as { hypervisors: Hypervisor[] }
  ).hypervisors;
}

const flavorOf = (server: Shown): { vcpus: number; ram: number; disk: number } =>
  flavors[(server['flavor'] as { original_name: string }).original_name]!;

const isOn = (server: Shown, host: string): boolean => server['OS-EXT-SRV-ATTR:host'] === host;

/**
 * Compares what the servers of the project use with what other services report. No action may be in
 * progress.
 */
export async function checkAgreement(world: World, group: string): Promise<void> {
  const servers = await listServers(world);
  await checkQuotas(world, servers);
  const left = await checkAllocations(world, servers);
  await checkHosts(world, servers, await checkMembers(world, servers, group), left);
  await checkDevices(world, servers);
}

async function checkQuotas(world: World, servers: readonly Shown[]): Promise<void> {
  const { quota_set: quota } = (
    await ask(world, 'GET', '/os-quota-sets/demo/detail', { ...admin, version: newest })
  ).body as {
    quota_set: Record<string, { in_use: number }>;
  };
  const sum = (of: 'vcpus' | 'ram'): number =>
    servers.reduce((total, server) => total + flavorOf(server)[of], 0);
  expect(quota['instances']!.in_use).to.equal(servers.length);
  expect(quota['cores']!.in_use).to.equal(sum('vcpus'));
  expect(quota['ram']!.in_use).to.equal(sum('ram'));
}

/** @returns the members of the group, which must be the servers created in it */
async function checkMembers(
  world: World,
  servers: readonly Shown[],
  group: string,
): Promise<string[]> {
  const members = (
    await ask(world, 'GET', `/os-server-groups/${group}`, { ...admin, version: newest })
  ).body.server_group.members as string[];
  const asked = servers.filter((one) => (one['scheduler_hints'] as { group?: string[] }).group);
  expect(members.toSorted()).to.deep.equal(asked.map(({ id }) => id).toSorted());
  return members;
}

/** The allocations of a consumer, by the provider's name. */
async function allocationsOf(world: World, consumer: string): Promise<Map<string, object>> {
  const asked = { token: 'admin', version: '1.39' } as const;
  const reply = await world.ask('placement', 'GET', `/placement/allocations/${consumer}`, asked);
  const { allocations } = reply.body as { allocations: Record<string, { resources: object }> };
  const { resource_providers: all } = (
    await world.ask('placement', 'GET', '/placement/resource_providers', asked)
  ).body as {
    resource_providers: { uuid: string; name: string }[];
  };
  return new Map(
    all.flatMap(({ uuid, name }) =>
      allocations[uuid] ? [[name, allocations[uuid].resources] as const] : [],
    ),
  );
}

const migrationsOf = async (world: World): Promise<Shown[]> =>
  (await ask(world, 'GET', '/os-migrations', { ...admin, version: newest })).body
    .migrations as Shown[];

/**
 * @returns the hosts that are down and still have allocations of evacuated servers, once for each
 *   allocation
 */
async function checkAllocations(world: World, servers: readonly Shown[]): Promise<string[]> {
  const migrations = await migrationsOf(world);
  const left: string[] = [];
  for (const server of servers) {
    const mine = migrations.filter((one) => one['instance_uuid'] === server.id);
    const sources = new Set(
      mine.filter(({ status }) => status === 'done').map((one) => String(one['source_compute'])),
    );
    const { vcpus, ram, disk } = flavorOf(server);
    const ownDisk = server['image'] === '' ? {} : { DISK_GB: disk };
    const host = server['OS-EXT-SRV-ATTR:host'];
    const expected =
      host === null ? [] : [[String(host), { VCPU: vcpus, MEMORY_MB: ram, ...ownDisk }]];
    const held = [...(await allocationsOf(world, server.id))];
    const isLeft = ([name]: [string, object]): boolean => name !== host && sources.has(name);
    expect(
      held.filter((one) => !isLeft(one)),
      `${server.name} ${server.status}`,
    ).to.deep.equal(expected);
    left.push(...held.filter(isLeft).map(([name]) => name));
    for (const { status, ...open } of mine.filter((one) => one.status === 'finished')) {
      const kept = [...(await allocationsOf(world, String(open['uuid']))).keys()];
      expect(kept, status).to.include(open['source_compute']);
      left.push(...kept.filter((name) => name !== open['source_compute']));
    }
  }
  return left;
}

async function checkHosts(
  world: World,
  servers: readonly Shown[],
  members: readonly string[],
  left: readonly string[],
): Promise<void> {
  const migrations = await migrationsOf(world);
  const open = migrations.filter(({ status }) => status === 'finished');
  // A move frees its claims when it ends, successfully or not.
  for (const one of migrations.filter(({ status }) => status !== 'finished')) {
    expect(['confirmed', 'reverted', 'completed', 'cancelled', 'done', 'error']).to.include(
      one.status,
    );
    expect(
      (await allocationsOf(world, String(one['uuid']))).size,
      `migration ${one.status}`,
    ).to.equal(0);
  }
  const resized = servers.filter(({ status }) => status === 'VERIFY_RESIZE');
  expect(open.map((one) => one['instance_uuid']).toSorted()).to.deep.equal(
    resized.map(({ id }) => id).toSorted(),
  );
  for (const { hypervisor_hostname: host, ...figures } of await listHypervisors(world)) {
    const here = servers.filter((server) => isOn(server, host));
    const held = open.filter((one) => one['source_compute'] === host);
    expect(figures.running_vms, host).to.equal(here.length);
    const evacuated = left.filter((name) => name === host);
    expect(figures.vcpus_used, host).to.equal(here.length + held.length + evacuated.length);
    const ids = [...here.map(({ id }) => id), ...held.map((one) => String(one['instance_uuid']))];
    expect(ids.filter((id) => members.includes(id)).length, `members on ${host}`).to.be.at.most(2);
  }
}

/** Ports and volumes belong to existing servers, and are on the servers' hosts. */
async function checkDevices(world: World, servers: readonly Shown[]): Promise<void> {
  const { ports } = (await world.ask('network', 'GET', '/network/v2.0/ports', { token: 'admin' }))
    .body as {
    ports: { device_id: string; device_owner: string; 'binding:host_id': string }[];
  };
  for (const port of ports.filter(({ device_owner: owner }) => owner.startsWith('compute:'))) {
    const server = servers.find(({ id }) => id === port.device_id);
    expect(server, `the server of the port of ${port.device_id}`).not.to.equal(undefined);
    const host = server!['OS-EXT-SRV-ATTR:host'];
    if (host !== null) expect(port['binding:host_id'], server!.status).to.equal(host);
  }
  const shown = await world.ask('volume', 'GET', '/volume/v3/volumes/detail?all_tenants=1', {
    token: 'admin',
    version: '3.70',
  });
  const { volumes } = shown.body as {
    volumes: { status: string; attachments: { server_id: string }[] }[];
  };
  const ids = volumes.flatMap(({ attachments }) => attachments.map((one) => one.server_id));
  const known = new Set(servers.map(({ id }) => id));
  expect(ids.filter((id) => !known.has(id))).to.deep.equal([]);
}
