// Migrations between pods whose process is killed in the middle of a step. Another process on the
// same MySQL ends them.
import { expect } from 'chai';
import { createConnection, type Connection } from 'mysql2/promise';
import { setTimeout as pause } from 'node:timers/promises';
import { databases } from '../../support/databases.ts';
import { startEmulator, type Emulator } from '../../support/processes.ts';
import type { Json } from './support.ts';

const flags = [
  '--auth',
  'noauth2',
  '--regions',
  'CentralRegion,Pod1,Pod2',
  '--hosts',
  '1',
  '--port',
  '0',
];

/** The step, and the table that cannot be written when the process is killed. */
const moments = [
  ['lock', 'Pod1', 'compute_servers'],
  ['prepare', 'Pod2', 'network_ports'],
  ['copy', 'Pod2', 'volume_volumes'],
  ['create', 'Pod2', 'compute_servers'],
  // The pod has done what is not recorded yet.
  ['create', 'central', 'tricircle_moves'],
  ['switch', 'central', 'tricircle_moves'],
  ['release', 'Pod1', 'volume_volumes'],
] as const;

describe('migrations between pods whose process dies', () => {
  let url = '';
  let survivor: Emulator;
  let network = '';
  let imageRef = '';
  const pods: Record<string, string> = {};

  const send = async (
    { origin }: Emulator,
    method: string,
    path: string,
    body?: Json,
  ): Promise<Json> => {
    const reply = await fetch(`${origin}${path}`, {
      method,
      headers: {
        'x-auth-token': 'admin',
        accept: 'application/json',
        'content-type': 'application/json',
        'openstack-api-version': path.includes('/volume/') ? 'volume 3.50' : 'compute 2.90',
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
    return text ? (JSON.parse(text) as Json) : {};
  };
  const central = (method: string, path: string, body?: Json): Promise<Json> =>
    send(survivor, method, `/CentralRegion${path}`, body);
  const advance = (emulator: Emulator): Promise<Json> =>
    send(emulator, 'POST', '/_emulator/clock/advance', { seconds: 1 });

  /** Connects to the database of a region, or to the central one. */
  const connect = (region: string): Promise<Connection> => {
    const database = new URL(url);
    if (region !== 'central') database.pathname += `_${region}`;
    return createConnection(database.href);
  };

  /** Makes the claims on jobs of dead processes look as old as after a minute. */
  async function ageClaims(): Promise<void> {
    const connection = await connect('CentralRegion');
    await connection.query('UPDATE jobs SET claimed_at = claimed_at - 60000000');
    await connection.end();
  }

  /** Kills a process while it waits to write to a table. */
  async function killWhileWriting(region: string, table: string): Promise<void> {
    const victim = await startEmulator(['--database', url, ...flags]);
    const connection = await connect(region);
    await connection.query('START TRANSACTION');
    await connection.query(`SELECT * FROM ${table} FOR UPDATE`);
    const moving = (async () => {
      for (;;) await advance(victim);
    })().catch(() => {});
    // The server copies this table again only if nobody has read it for a tenth of a second.
    const waiting = "SELECT 1 FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'";
    for (let polls = 0; ; polls++) {
      const [rows] = await connection.query(waiting);
      if ((rows as unknown[]).length) break;
      if (polls === 400) throw new Error(`${table} is not written: ${victim.output()}`);
      await pause(150);
    }
    await victim.kill();
    await moving;
    await connection.query('ROLLBACK');
    await connection.end();
    await ageClaims();
  }

  /** Creates a server with a port and a volume. */
  async function makeServer(): Promise<{ id: string; volume: string; port: string }> {
    const port = (await central('POST', '/network/v2.0/ports', { port: { network_id: network } }))[
      'port'
    ]['id'] as string;
    const zone = { availability_zone: 'az1' };
    const server = { name: 'vm', imageRef, flavorRef: '1', networks: [{ port }], ...zone };
    const id = (await central('POST', '/compute/v2.1/servers', { server }))['server'][
      'id'
    ] as string;
    const volume = (
      await central('POST', '/volume/v3/volumes', { volume: { size: 1, name: 'data', ...zone } })
    )['volume']['id'] as string;
    await central('POST', `/compute/v2.1/servers/${id}/os-volume_attachments`, {
      volumeAttachment: { volumeId: volume },
    });
    return { id, volume, port };
  }

  const listed = async (region: string, path: string, key: string): Promise<string[]> =>
    ((await send(survivor, 'GET', `/${region}${path}`))[key] as Json[]).map(
      ({ id }) => id as string,
    );

  before(async function () {
    const fresh = await databases.freshUrl();
    if (!fresh) return this.skip();
    url = fresh;
    survivor = await startEmulator(['--database', url, ...flags]);
    await send(survivor, 'PUT', '/_emulator/clock', { frozen: true });
    for (const region_name of ['Pod1', 'Pod2'])
      pods[region_name] = (
        await send(survivor, 'POST', '/tricircle/v1.0/pods', {
          pod: { region_name, az_name: 'az1' },
        })
      )['pod']['pod_id'] as string;
    imageRef = (await listed('CentralRegion', '/image/v2/images', 'images'))[0]!;
    network = (await central('POST', '/network/v2.0/networks', { network: { name: 'own' } }))[
      'network'
    ]['id'] as string;
    const subnet = { network_id: network, ip_version: 4, cidr: '10.60.0.0/24' };
    await central('POST', '/network/v2.0/subnets', { subnet });
  });
  after(async () => {
    if (url) expect(await survivor.stop()).to.equal(0);
  });

  const show = async (migration: string): Promise<Json> =>
    (await send(survivor, 'GET', `/tricircle/v1.0/migrations/${migration}`))['migration'] as Json;

  for (const [step, region, table] of moments)
    it(`are completed by another one if it writes ${table} of ${region} in ${step}`, async () => {
      const { id, volume, port } = await makeServer();
      const started = await send(survivor, 'POST', '/tricircle/v1.0/migrations', {
        migration: { server_id: id, target_pod_id: pods['Pod2'] },
      });
      const migration = started['migration']['id'] as string;
      for (
        let second = 0;
        ((await show(migration))['moves'] as Json[])[0]!['step'] !== step;
        second++
      ) {
        if (second === 60) throw new Error(`There is no step ${step}.`);
        await advance(survivor);
      }
      await killWhileWriting(region, table);
      let ended: Json = {};
      for (let second = 0; second < 60 && ended['finished_at'] == null; second++) {
        await advance(survivor);
        ended = await show(migration);
      }
      expect(ended['status'], JSON.stringify(ended)).to.equal('SUCCESS');

      const { server } = await central('GET', `/compute/v2.1/servers/${id}`);
      expect(server).to.include({ status: 'ACTIVE', locked: false });
      expect((await central('GET', `/volume/v3/volumes/${volume}`))['volume']).to.include({
        status: 'in-use',
      });
      for (const [where, expected] of [
        ['Pod1', []],
        ['Pod2', [id]],
      ] as const) {
        const servers = await listed(where, '/compute/v2.1/servers', 'servers');
        expect(servers.filter((one) => one === id)).to.deep.equal(expected);
        const volumes = await listed(where, '/volume/v3/volumes', 'volumes');
        expect(volumes.filter((one) => one === volume)).to.have.length(expected.length);
        const ports = await listed(where, `/network/v2.0/ports?name=${port}`, 'ports');
        expect(ports).to.have.length(expected.length);
        const { allocations } = await send(
          survivor,
          'GET',
          `/${where}/placement/allocations/${id}`,
        );
        expect(Object.keys(allocations as Json)).to.have.length(expected.length);
      }
    });
});
