// GET /_emulator/audit: finds planted inconsistencies of every kind, and nothing in a cloud that
// only its API has changed.
import { expect } from 'chai';
import { newUuid } from '../../src/kernel/ids.ts';
import { onEachDatabase, type World } from '../support/cloud.ts';
import { Clustering, novaSpec } from '../services/clustering/support.ts';
import * as compute from '../services/compute/servers/makers.ts';
import { ask as askCompute } from '../services/compute/support.ts';
import * as network from '../services/network/support.ts';
import * as reservation from '../services/reservation/support.ts';
import * as volume from '../services/volume/support.ts';

interface Finding {
  readonly region: string;
  readonly service: string;
  readonly check: string;
  readonly resource: { readonly type: string; readonly id: string };
  readonly text: string;
  readonly repair: readonly string[];
}

interface Audit {
  readonly examined: Readonly<Record<string, number>>;
  readonly count: number;
  readonly inconsistencies: readonly Finding[];
  readonly text: readonly string[];
}

async function auditOf(world: World, query = ''): Promise<Audit> {
  const reply = await world.ask('', 'GET', `/_emulator/audit${query}`);
  expect(reply.status, reply.text).to.equal(200);
  return (reply.body as { audit: Audit }).audit;
}

/** Changes rows as no service does. */
const update = (world: World, table: string, where: object, fields: object): PromiseLike<unknown> =>
  world.cloud.firstRegion.database.db(table).where(where).update(fields);

const placement = (world: World, method: string, path: string, body?: object) =>
  world.ask('placement', method, `/placement${path}`, {
    version: '1.39',
    ...(body ? { body } : {}),
  });

/** The UUID of the provider of a host. */
async function providerOf(world: World, host: string): Promise<string> {
  const { body } = await placement(world, 'GET', `/resource_providers?name=${host}`);
  return (body as { resource_providers: { uuid: string }[] }).resource_providers[0]!.uuid;
}

/** Gives a consumer an allocation, and takes any others from it. */
async function allocate(world: World, consumer: string, provider: string, generation: unknown) {
  await placement(world, 'PUT', `/allocations/${consumer}`, {
    allocations: { [provider]: { resources: { VCPU: 1 } } },
    consumer_generation: generation,
    consumer_type: 'INSTANCE',
    project_id: 'demo',
    user_id: 'admin',
  }).expect(204);
}

const hostOf = (server: compute.Shown): string => String(server['OS-EXT-SRV-ATTR:host']);

/** A group with as many members as hosts, and the hosts of its members. */
async function groupOf(world: World, policy: string): Promise<{ id: string; ids: string[] }> {
  const id = await compute.madeGroup(world, policy);
  const how = { ...compute.admin, hints: { group: id } };
  const ids = [await compute.madeServer(world, {}, how), await compute.madeServer(world, {}, how)];
  return { id, ids: ids.map((server) => server.id) };
}

/** Moves a server with its allocations, as if its group had no rules. */
async function displace(world: World, id: string, host: string): Promise<void> {
  await placement(world, 'DELETE', `/allocations/${id}`).expect(204);
  await allocate(world, id, await providerOf(world, host), null);
  await update(world, 'compute_servers', { uuid: id }, { host, node: host });
}

async function setQuotas(world: World, fields: object): Promise<void> {
  const body = { quota_set: { ...fields, force: true } };
  await askCompute(world, 'PUT', '/os-quota-sets/demo', { ...compute.admin, body }).expect(200);
}

/** A way to make a cloud inconsistent. @returns the resource that the audit names */
type Plant = (world: World) => Promise<string>;

const plants: Readonly<Record<string, Plant>> = {
  async host_without_provider(world) {
    const provider = await providerOf(world, 'compute-3');
    await placement(world, 'DELETE', `/resource_providers/${provider}`).expect(204);
    return provider;
  },
  async provider_without_host(world) {
    const uuid = newUuid();
    await placement(world, 'POST', '/resource_providers', { name: 'gone', uuid }).expect(200);
    await placement(world, 'PUT', `/resource_providers/${uuid}/traits`, {
      traits: ['COMPUTE_NODE'],
      resource_provider_generation: 0,
    }).expect(200);
    return uuid;
  },
  async consumer_without_server(world) {
    const consumer = newUuid();
    await allocate(world, consumer, await providerOf(world, 'compute-1'), null);
    return consumer;
  },
  async server_without_allocations(world) {
    const { id } = await compute.madeServer(world);
    await placement(world, 'DELETE', `/allocations/${id}`).expect(204);
    return id;
  },
  async server_allocated_elsewhere(world) {
    const server = await compute.madeServer(world);
    const other = hostOf(server) === 'compute-1' ? 'compute-2' : 'compute-1';
    await allocate(world, server.id, await providerOf(world, other), 1);
    return server.id;
  },
  async allocations_without_host(world) {
    const { id } = await compute.madeServer(world);
    await compute.act(world, id, { shelve: null });
    await allocate(world, id, await providerOf(world, 'compute-1'), null);
    return id;
  },
  async server_on_missing_host(world) {
    const { id } = await compute.madeServer(world);
    await placement(world, 'DELETE', `/allocations/${id}`).expect(204);
    await update(world, 'compute_servers', { uuid: id }, { host: 'lost', node: 'lost' });
    return id;
  },
  async inventory_overused(world) {
    const server = await compute.madeServer(world, { flavorRef: '5' });
    const provider = await providerOf(world, hostOf(server));
    const path = `/resource_providers/${provider}/inventories/MEMORY_MB`;
    const { body } = await placement(world, 'GET', path);
    await placement(world, 'PUT', path, {
      ...(body as object),
      total: 1024,
      max_unit: 1024,
      reserved: 0,
      allocation_ratio: 1,
    }).expect(200);
    return provider;
  },
  async affinity_violated(world) {
    const { id, ids } = await groupOf(world, 'affinity');
    const host = hostOf(await compute.showServer(world, ids[0]!));
    await displace(world, ids[1]!, host === 'compute-1' ? 'compute-2' : 'compute-1');
    return id;
  },
  async anti_affinity_violated(world) {
    const { id, ids } = await groupOf(world, 'anti-affinity');
    await displace(world, ids[1]!, hostOf(await compute.showServer(world, ids[0]!)));
    return id;
  },
  async 'quota_exceeded of servers'(world) {
    await compute.madeServer(world);
    await setQuotas(world, { instances: 0 });
    return 'demo';
  },
  async 'quota_exceeded of memory'(world) {
    await compute.madeServer(world);
    await setQuotas(world, { ram: 1 });
    return 'demo';
  },
  async 'quota_exceeded of ports'(world) {
    const net = await network.make(world, 'network', { name: 'n', project_id: 'blue' });
    for (const name of ['one', 'two'])
      await network.make(world, 'port', { network_id: net.id, name, project_id: 'blue' });
    const body = { quota: { port: 1, force: true } };
    await network.ask(world, 'PUT', '/quotas/blue', body).expect(200);
    return 'blue';
  },
  async 'quota_exceeded of volumes'(world) {
    const body = { quota_set: { gigabytes: 1 } };
    await volume.askAsAdmin(world, 'PUT', '/os-quota-sets/b1', body).expect(200);
    const id = await volume.createVolume(world, 'alice');
    await update(world, 'volume_volumes', { id }, { size: 2 });
    return 'b1';
  },
  async port_without_server(world) {
    const net = await network.make(world, 'network', { name: 'n' });
    const owner = { device_owner: 'compute:nova', device_id: newUuid() };
    return (await network.make(world, 'port', { network_id: net.id, ...owner })).id;
  },
  async port_without_router(world) {
    const net = await network.make(world, 'network', { name: 'n' });
    const { id } = await network.make(world, 'port', { network_id: net.id });
    const owner = { device_owner: 'network:router_interface', device_id: newUuid() };
    await update(world, 'network_ports', { id }, owner);
    return id;
  },
  async attachment_without_server(world) {
    const id = await volume.createVolume(world, 'alice');
    await volume.attach(world, id);
    return id;
  },
  async volume_without_attachment(world) {
    const id = await volume.createVolume(world, 'alice');
    await volume.volume(world, id);
    await update(world, 'volume_volumes', { id }, { status: 'in-use' });
    return id;
  },
  async attached_volume_available(world) {
    const id = await volume.createVolume(world, 'alice');
    const { id: server } = await compute.madeServer(world);
    await volume.attach(world, id, { instance_uuid: server });
    const status = { status: 'available' };
    await volume.act(world, 'admin', id, { 'os-reset_status': status }).expect(202);
    return id;
  },
  async node_without_server(world) {
    const clustering = new Clustering(world);
    clustering.profile = await clustering.createProfile(novaSpec());
    const node = await clustering.createNode();
    const { physical_id: server } = await clustering.showNode(node);
    await askCompute(world, 'DELETE', `/servers/${String(server)}`, compute.admin).expect(204);
    return node;
  },
  async cluster_out_of_size(world) {
    const clustering = new Clustering(world);
    clustering.profile = await clustering.createProfile(novaSpec());
    const id = await clustering.createCluster(1);
    await clustering.showCluster(id);
    await update(world, 'clustering_clusters', { id }, { min_size: 2 });
    return id;
  },
  async reservable_host_missing(world) {
    const [host] = await reservation.registerHosts(world, 1);
    await update(world, 'reservation_hosts', { id: host }, { hypervisor_hostname: 'lost' });
    return host!;
  },
  async host_reserved_twice(world) {
    const [host] = await reservation.registerHosts(world, 1);
    await reservation.createLease(world, [reservation.hostReservation()]);
    const later = { start_date: '2026-11-20 15:00', end_date: '2026-11-20 16:00', name: 'later' };
    const lease = await reservation.createLease(world, [reservation.hostReservation()], later);
    const [{ id }] = lease['reservations'] as [{ id: string }];
    const start = { start_at: 13.5 * 3_600_000_000 + Date.parse('2026-11-20') * 1000 };
    await update(world, 'reservation_allocations', { reservation_id: id }, start);
    return host!;
  },
};

onEachDatabase('audit', { auth: 'noauth2', hosts: '3' }, (world) => {
  for (const [title, plant] of Object.entries(plants))
    it(`finds ${title.replaceAll('_', ' ')}`, async () => {
      const before = await auditOf(world);
      expect(before.count, before.text.join('\n')).to.equal(0);
      const id = await plant(world);
      const { inconsistencies, text, count } = await auditOf(world);
      expect(count).to.equal(inconsistencies.length);
      const [check] = title.split(' ');
      const found = inconsistencies.find((one) => one.check === check && one.resource.id === id);
      expect(found, text.join('\n')).not.to.equal(undefined);
      expect(found!.repair).not.to.have.length(0);
      for (const line of [found!.text, ...found!.repair])
        expect(
          text.some((one) => one.endsWith(line)),
          line,
        ).to.equal(true);
    });

  it('finds nothing after servers have been resized, shelved, migrated and deleted', async () => {
    const servers = [];
    for (let count = 0; count < 4; count++) servers.push(await compute.madeServer(world));
    const [resized, shelved, moved, deleted] = servers;
    await compute.act(world, resized!.id, { resize: { flavorRef: '2' } });
    await compute.act(world, shelved!.id, { shelve: null });
    await compute.act(world, moved!.id, {
      'os-migrateLive': { host: null, block_migration: 'auto' },
    });
    await askCompute(world, 'DELETE', `/servers/${deleted!.id}`, compute.admin).expect(204);
    const audit = await auditOf(world);
    expect(audit.count, audit.text.join('\n')).to.equal(0);
    expect(audit.examined['servers']).to.equal(3);
    expect(audit.text.at(-1)).to.equal('Nothing is inconsistent.');
  });

  it('refuses an unknown region', async () => {
    await world.ask('', 'GET', '/_emulator/audit?region=Nowhere').expect(400);
    expect((await auditOf(world, '?region=RegionOne')).examined['hosts']).to.equal(3);
  });
});
