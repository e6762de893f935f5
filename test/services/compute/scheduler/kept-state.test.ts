// A property test: after random writes through several processes, and after resets, restores,
// imports, forks and moves of the clock, each process has in memory what a new one reads.
import { expect } from 'chai';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeCloud, openCloud } from '../../../../src/cloud.ts';
import { configOf } from '../../../../src/config.ts';
import type { Db } from '../../../../src/kernel/db/database.ts';
import { transact } from '../../../../src/kernel/db/transaction.ts';
import { serverFor } from '../../../../src/kernel/http/server.ts';
import type { Cloud } from '../../../../src/kernel/model.ts';
import { syncRegions } from '../../../../src/kernel/regions.ts';
import { schedulerHosts } from '../../../../src/services/compute/domain/scheduler/kept-hosts.ts';
import {
  loadOwnTrees,
  loadTrees,
} from '../../../../src/services/placement/domain/candidates/trees.ts';
import { keptTrees } from '../../../../src/services/placement/store/kept-trees.ts';
import { listHosts, listHostsInUse } from '../../../../src/services/reservation/store/hosts.ts';
import { cirrosId } from '../../../../src/services/image/index.ts';
import { databases, kinds } from '../../../support/databases.ts';
import { SeededRandom } from '../../../support/seeded-random.ts';

const seed = Number(process.env['CUMULET_TEST_SEED'] ?? 7);
const steps = 80;

interface Process {
  readonly cloud: Cloud;
  readonly server: Server;
}

type Ask = (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>;

/** Compares what a process keeps of each region with what it reads outside of any transaction. */
async function check({ cloud }: Process, step: string): Promise<void> {
  await syncRegions(cloud);
  for (const { name, database } of cloud.regions.values()) {
    const message = `${name} after ${step}, seed ${seed}`;
    const kept = await transact(database.db, topologyOf);
    expect(kept, message).to.deep.equal(await topologyOf(database.db));
    const reserved = await transact(database.db, (db) => listHostsInUse(db));
    expect(reserved.hosts, message).to.deep.equal(await listHosts(database.db));
    // Within one transaction, because jobs run meanwhile.
    const [shared, own] = await transact(database.db, async (db) => {
      const { all } = await keptTrees(db);
      return [await loadTrees(db, all), await loadOwnTrees(db, all)];
    });
    expect(
      shared.map(({ root, nodes }) => ({ root, nodes })),
      message,
    ).to.deep.equal(own);
  }
}

/** The trees and hosts of a region, without what searches leave with them for the next one. */
async function topologyOf(db: Db): Promise<object> {
  const { all, byRoot, sharing } = await keptTrees(db);
  const hosts = await schedulerHosts(db);
  return {
    all: all.map(({ root, nodes, places }) => ({ root, nodes, places })),
    columns: all.slice(0, 1).map(({ columns: { classIds, capacities } }) => [classIds, capacities]),
    roots: [...byRoot.keys()],
    sharing,
    hosts: hosts.all,
    providers: [...hosts.placeOf],
  };
}

for (const kind of kinds)
  describe(`the hosts and trees in memory [${kind}]`, function () {
    this.timeout(0);
    const processes: Process[] = [];

    before(async function () {
      const database = await databases.fresh(kind);
      if (!database) return this.skip();
      const config = configOf({ database, logLevel: 'silent', hosts: '3', auth: 'noauth2' });
      for (let count = 0; count < (kind === 'mysql' ? 2 : 1); count++) {
        const cloud = await openCloud(config);
        processes.push({ cloud, server: serverFor({ cloud }).listen(0, '127.0.0.1') });
      }
    });

    after(async () => {
      for (const { cloud, server } of processes) {
        server.closeAllConnections();
        server.close();
        await closeCloud(cloud);
      }
    });

    it('equal what a new process reads, after any sequence of writes', async () => {
      const random = new SeededRandom(seed);
      let number = 0;
      let exported: string | undefined;
      const ask: Ask = async (method, path, body) => {
        const { port } = random.pick(processes).server.address() as AddressInfo;
        const reply = await fetch(`http://127.0.0.1:${port}${path}`, {
          method,
          headers: {
            'x-auth-token': 'admin',
            'content-type': 'application/json',
            'openstack-api-version': path.includes('placement') ? 'placement 1.39' : 'compute 2.90',
          },
          ...(body === undefined
            ? {}
            : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        });
        const text = await reply.text();
        expect(reply.status, `${method} ${path}: ${text}`).to.be.lessThan(500);
        if (path === '/_emulator/export') exported = text;
        else return (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, unknown>;
        return {};
      };
      const provider = async (): Promise<{ uuid: string; generation: number }> => {
        const { resource_providers: all } = await ask('GET', '/placement/resource_providers');
        const none = { uuid: '00000000-0000-4000-8000-000000000000', generation: 0 };
        return random.pick(all as readonly (typeof none)[]) ?? none;
      };
      const host = (): string => `compute-${random.between(1, 4)}`;
      const aggregate = (): number => random.between(1, 3);
      const writes: Record<string, () => Promise<unknown>> = {
        'a new provider': async () =>
          ask('POST', '/placement/resource_providers', {
            name: `p${number++}`,
            parent_provider_uuid: random.chance(0.5) ? (await provider()).uuid : null,
          }),
        'a provider that moves': async () => {
          const { uuid } = await provider();
          const parent_provider_uuid = random.chance(0.3) ? null : (await provider()).uuid;
          const path = `/placement/resource_providers/${uuid}`;
          return ask('PUT', path, { name: `p${number++}`, parent_provider_uuid });
        },
        'a provider that is deleted': async () =>
          ask('DELETE', `/placement/resource_providers/${(await provider()).uuid}`),
        inventories: async () => {
          const { uuid, generation } = await provider();
          const classes = ['VCPU', 'MEMORY_MB', 'DISK_GB', 'VGPU'].filter(() => random.chance(0.7));
          await ask('PUT', `/placement/resource_providers/${uuid}/inventories`, {
            resource_provider_generation: generation,
            inventories: Object.fromEntries(
              classes.map((name) => [name, { total: random.between(1, 9999) }]),
            ),
          });
        },
        traits: async () => {
          const { uuid, generation } = await provider();
          await ask('PUT', `/placement/resource_providers/${uuid}/traits`, {
            resource_provider_generation: generation,
            traits: ['HW_CPU_X86_AVX', 'MISC_SHARES_VIA_AGGREGATE'].filter(() =>
              random.chance(0.4),
            ),
          });
        },
        aggregates: async () => {
          const { uuid, generation } = await provider();
          await ask('PUT', `/placement/resource_providers/${uuid}/aggregates`, {
            resource_provider_generation: generation,
            aggregates: random.chance(0.5) ? ['10000000-0000-4000-8000-000000000001'] : [],
          });
        },
        'a service that is disabled or down': async () => {
          const { services } = await ask('GET', `/compute/v2.1/os-services?host=${host()}`);
          const [service] = (services ?? []) as { id: string }[];
          const change = random.chance(0.5)
            ? { status: random.pick(['enabled', 'disabled']) }
            : { forced_down: random.chance(0.5) };
          if (service) await ask('PUT', `/compute/v2.1/os-services/${service.id}`, change);
        },
        'a host that is added': () => ask('POST', '/_emulator/hosts', { name: host() }),
        'a host that is removed': () => ask('DELETE', `/_emulator/hosts/${host()}`),
        'a new aggregate': () =>
          ask('POST', '/compute/v2.1/os-aggregates', { aggregate: { name: `a${number++}` } }),
        'hosts of an aggregate': () =>
          ask('POST', `/compute/v2.1/os-aggregates/${aggregate()}/action`, {
            [random.pick(['add_host', 'remove_host'])]: { host: host() },
          }),
        'metadata of an aggregate': () =>
          ask('POST', `/compute/v2.1/os-aggregates/${aggregate()}/action`, {
            set_metadata: { metadata: { filter_tenant_id: `t${number++}`, x: null } },
          }),
        'an aggregate that is deleted': () =>
          ask('DELETE', `/compute/v2.1/os-aggregates/${aggregate()}`),
        'a server': () =>
          ask('POST', '/compute/v2.1/servers', {
            server: { name: 's', flavorRef: '42', imageRef: cirrosId, networks: 'none' },
          }),
        'a host that is registered': async () => {
          const name = `reserved-${number++}`;
          await ask('POST', '/_emulator/hosts', { name });
          await ask('POST', '/reservation/v1/os-hosts', { name });
        },
        'a host that is unregistered': async () => {
          const { hosts } = await ask('GET', '/reservation/v1/os-hosts');
          const { id } = random.pick(hosts as readonly { id: string }[]) ?? { id: '1' };
          return ask('DELETE', `/reservation/v1/os-hosts/${id}`);
        },
        'the clock': () =>
          ask('POST', '/_emulator/clock/advance', { seconds: random.between(1, 5000) }),
        'a reset': () =>
          ask('POST', '/_emulator/reset', random.pick([{}, {}, { service: 'placement' }])),
        'a snapshot': () => ask('PUT', `/_emulator/snapshots/${random.pick(['a', 'b'])}`),
        'a restored snapshot': () =>
          ask('POST', `/_emulator/snapshots/${random.pick(['a', 'b'])}/restore`),
        'a fork': () => ask('POST', '/_emulator/regions', { name: 'Fork', from: 'RegionOne' }),
        'a region that is dropped': () => ask('DELETE', '/_emulator/regions/Fork'),
        'a provider in the fork': () =>
          ask('POST', '/Fork/placement/resource_providers', { name: `f${number++}` }),
        'an export': () => ask('GET', '/_emulator/export'),
        'an import': async () => exported && ask('POST', '/_emulator/import', exported),
      };
      const names = Object.keys(writes);
      const done: string[] = [];
      for (let step = 0; step < steps; step++) {
        const name = random.pick(names);
        await writes[name]!();
        done.push(name);
        for (const process of processes) await check(process, done.slice(-5).join(', '));
      }
    });
  });
