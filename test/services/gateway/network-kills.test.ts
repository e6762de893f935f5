// Kills the process while servers with networks are created and deleted at the gateway, starts it
// again on the same databases, and audits what the pods have.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { configOf } from '../../../src/config.ts';
import { pause } from '../../../src/kernel/clock.ts';
import { run } from '../../../src/server.ts';
import { startEmulator, type Emulator } from '../../support/processes.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import { networkProblems, routingsIn } from './network-problems.ts';
import { requestJson } from './requests.ts';
import type { Json } from './support.ts';

const pods = ['RegionOne', 'RegionTwo'];
const regions = ['CentralRegion', ...pods];
const neutron = '/CentralRegion/network/v2.0';
const nova = '/CentralRegion/compute/v2.1';

/** The path of a type below the version of Neutron. */
const collectionOf = (type: string): string => `${type.replaceAll('_', '-')}s`;

describe('gateway: a process that is killed while it carries networks', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-networks-'));
  let origin = '';
  let emulator: Emulator;

  const ask = (method: string, path: string, body?: object): Promise<Json> =>
    requestJson(origin, method, path, body);
  const admin = (method: string, path: string, body?: object): Promise<Json> =>
    requestJson(origin, method, path, body, { user: 'admin' });
  const start = async (): Promise<void> => {
    const flags = ['--database', `sqlite:${folder}`, '--auth', 'noauth2', '--hosts', '1'];
    emulator = await startEmulator([...flags, '--regions', regions.join(',')]);
    ({ origin } = emulator);
  };
  const list = async (region: string, type: string): Promise<Json[]> =>
    (await admin('GET', `/${region}/network/v2.0/${collectionOf(type)}`))[`${type}s`] as Json[];
  const own = async (type: string): Promise<Json[]> =>
    (await ask('GET', `${neutron}/${collectionOf(type)}`))[`${type}s`] as Json[];
  const create = async (type: string, fields: Json): Promise<Json> =>
    (await ask('POST', `${neutron}/${collectionOf(type)}`, { [type]: fields }))[type] as Json;
  const serverIds = async (): Promise<string[]> =>
    ((await admin('GET', `${nova}/servers?all_tenants=1`))['servers'] as Json[]).map(
      ({ id }) => id as string,
    );

  /** All problems, after all jobs have run. The process is started here, to read its database. */
  async function audit(): Promise<string[]> {
    const flags = { port: 0, auth: 'noauth2', logLevel: 'silent', hosts: '1', regions } as const;
    const running = await run(configOf({ ...flags, database: { kind: 'sqlite', folder } }));
    ({ origin } = running);
    try {
      for (let hour = 0; hour < 6; hour++) {
        await fetch(`${origin}/_emulator/clock/advance`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ seconds: 12 * 3600 }),
        });
        await own('network');
      }
      const routings = () => routingsIn(running.cloud.central.db);
      return await networkProblems({ regions: pods, list, routings, servers: serverIds });
    } finally {
      await running.stop();
    }
  }

  before(async () => {
    await start();
    for (const region_name of pods)
      await admin('POST', '/tricircle/v1.0/pods', { pod: { region_name, az_name: 'az1' } });
    await admin('PUT', `${nova}/os-quota-sets/acme`, {
      quota_set: { instances: 1000, cores: 1000, ram: 10_000_000 },
    });
    await emulator.stop();
  });
  after(async () => {
    await emulator.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const seed of [1, 2])
    it(`leaves nothing that the central region does not have (seed ${seed})`, async () => {
      const random = new SeededRandom(seed);
      await start();
      const { images } = await ask('GET', '/CentralRegion/image/v2/images?name=cirros');
      const imageRef = images[0].id as string;
      const outside = (await list('CentralRegion', 'network')).find(
        ({ name }) => name === 'public',
      );
      let count = 0;
      const network = async (): Promise<Json> => {
        const made = await create('network', { name: `n${seed}` });
        const cidr = `10.${60 + seed}.${count++}.0/24`;
        const subnet = await create('subnet', { network_id: made['id'], cidr, ip_version: 4 });
        const router = await create('router', {
          external_gateway_info: { network_id: outside!['id'] },
        });
        await ask('PUT', `${neutron}/routers/${router['id']}/add_router_interface`, {
          subnet_id: subnet['id'],
        });
        return made;
      };
      const boot = async (): Promise<unknown> => {
        const networks = [{ uuid: random.pick(await own('network'))!['id'] }];
        return ask('POST', `${nova}/servers`, {
          server: { name: 's', imageRef, flavorRef: '1', networks },
        });
      };
      const works: readonly (() => Promise<unknown>)[] = [
        async () => {
          const { id } = await network();
          const server = { name: 's', imageRef, flavorRef: '1', networks: [{ uuid: id }] };
          await ask('POST', `${nova}/servers`, { server });
        },
        boot,
        boot,
        async () => ask('DELETE', `${nova}/servers/${random.pick(await serverIds())}`),
        async () => {
          const ports = (await own('port')).filter(({ device_owner: owner }) =>
            String(owner).startsWith('compute:'),
          );
          await create('floatingip', {
            floating_network_id: outside!['id'],
            port_id: random.pick(ports)?.['id'],
          });
        },
        async () =>
          ask('DELETE', `${neutron}/floatingips/${random.pick(await own('floatingip'))?.['id']}`),
        async () => {
          const path = '/tricircle/v1.0/pods';
          const { pods: all } = await admin('GET', path);
          const moved = random.chance(0.5) ? pods[0] : pods[1];
          for (const pod of (all as Json[]).filter(({ az_name: zone }) => zone === 'az1'))
            await admin('PUT', `${path}/${pod['pod_id']}`, {
              pod: { is_under_maintenance: pod['region_name'] === moved },
            });
        },
      ];
      await network();
      for (let round = 0; round < 6; round++) {
        const sent = Promise.allSettled(
          Array.from({ length: 4 }, () => random.pick(works)!().catch(() => undefined)),
        );
        await pause(random.roll() * 400);
        await emulator.kill();
        await sent;
        await start();
      }
      await emulator.stop();
      expect(await audit()).to.deep.equal([]);
    });
});
