// Measures what a fresh cloud costs between two tests: a reset, a restore and a fork after a test
// that has written to some ten tables, in alternating rounds of this build and others
// (npm run bench:fresh -- --with FOLDER).
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cirrosId } from '../src/services/image/index.ts';
import { startMysql } from '../test/support/mysql.ts';
import { clientFor, rate, type Client } from './client.ts';
import { cpuOf } from './cpu.ts';
import { startCumulet, type Peer } from './cumulet.ts';
import { median } from './statistics.ts';

const { values } = parseArgs({
  options: {
    /** The folders of other checkouts, which have been built. */
    with: { type: 'string', multiple: true, default: [] },
    rounds: { type: 'string', default: '15' },
    databases: { type: 'string', default: 'memory,folder,MariaDB' },
    /** Hosts and servers that the cloud has before the first round. */
    hosts: { type: 'string', default: '3' },
    servers: { type: 'string', default: '0' },
  },
});
const [rounds, hosts, servers] = [values.rounds, values.hosts, values.servers].map(Number) as [
  number,
  number,
  number,
];
const folders = [undefined, ...values.with];
const folder = mkdtempSync(join(tmpdir(), 'cumulet-bench-'));
const actions = ['reset', 'restore', 'fork'] as const;

interface Figure {
  readonly time: number[];
  readonly cpu: number[];
}

interface Side {
  readonly peer: Peer;
  readonly clients: Readonly<Record<'compute' | 'network' | 'volume', Client>>;
  readonly figures: Readonly<Record<(typeof actions)[number], Figure>>;
}

const originOf = ({ peer }: Side): string => peer.origin.replace('/placement', '');

async function control(side: Side, method: string, path: string, body?: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const init = { method, ...(body && { body: JSON.stringify(body), headers }) };
  const answer = await fetch(`${originOf(side)}/_emulator${path}`, init);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
}

async function start(mysql: string, database: string, at: number): Promise<Side> {
  const name = `fresh_${process.pid}_${at}`;
  const url = { memory: 'memory:', folder: `sqlite:${mkdtempSync(join(folder, 'cloud-'))}` }[
    database
  ];
  const flags = ['--hosts', String(hosts), ...(url === undefined ? [] : ['--database', url])];
  const peer = await startCumulet(mysql, name, 1, flags, folders[at]);
  const origin = peer.origin.replace('/placement', '');
  const side: Side = {
    peer,
    clients: {
      compute: clientFor(`${origin}/compute/v2.1`, { service: 'compute', newest: '2.90' }),
      network: clientFor(`${origin}/network`, { service: 'network' }),
      volume: clientFor(`${origin}/volume/v3`, { service: 'volume', newest: '3.60' }),
    },
    figures: {
      reset: { time: [], cpu: [] },
      restore: { time: [], cpu: [] },
      fork: { time: [], cpu: [] },
    },
  };
  await fill(side);
  await control(side, 'PUT', '/snapshots/filled');
  return side;
}

async function fill({ clients: { compute } }: Side): Promise<void> {
  if (!servers) return;
  const quota_set = { instances: -1, cores: -1, ram: -1 };
  await compute.must({ method: 'PUT', path: '/os-quota-sets/bench', body: { quota_set } });
  await rate(4, { pieces: servers }, (index) => {
    const server = { name: `s${index}`, flavorRef: '42', imageRef: cirrosId, networks: 'none' };
    return compute.must({ method: 'POST', path: '/servers', body: { server } });
  });
}

/** What a small test does: a network with a subnet, a volume, and a server with a port. */
async function test({ clients: { compute, network, volume } }: Side): Promise<void> {
  const post = (client: Client, path: string, body: object): Promise<unknown> =>
    client.must({ method: 'POST', path, body });
  const made = (await post(network, '/v2.0/networks', { network: { name: 'n' } })) as {
    network: { id: string };
  };
  const { id } = made.network;
  const subnet = { network_id: id, ip_version: 4, cidr: '10.9.0.0/24' };
  await post(network, '/v2.0/subnets', { subnet });
  await post(volume, '/volumes', { volume: { size: 1 } });
  const server = { name: 's', flavorRef: '42', imageRef: cirrosId, networks: [{ uuid: id }] };
  await post(compute, '/servers', { server });
  // Runs the jobs that build the server.
  await compute.drain('/servers/detail');
}

async function measure(side: Side, action: (typeof actions)[number]): Promise<void> {
  await test(side);
  const { time, cpu } = side.figures[action];
  const [began, used] = [performance.now(), cpuOf(side.peer.pid!)];
  if (action === 'reset') await control(side, 'POST', '/reset');
  if (action === 'restore') await control(side, 'POST', '/snapshots/filled/restore');
  if (action === 'fork')
    await control(side, 'POST', '/regions', { name: 'Fork', from: 'RegionOne' });
  time.push(performance.now() - began);
  cpu.push(cpuOf(side.peer.pid!) - used);
  if (action === 'fork') await control(side, 'DELETE', '/regions/Fork');
  // The next action starts from the same cloud.
  if (action !== 'restore') await control(side, 'POST', '/snapshots/filled/restore');
}

async function measureDatabase(mysql: string, database: string): Promise<void> {
  const sides: Side[] = [];
  for (const at of folders.keys()) sides.push(await start(mysql, database, at));
  for (let round = 0; round <= rounds; round++)
    for (const action of actions)
      for (const side of sides) {
        await measure(side, action);
        // The first round warms up.
        if (!round) for (const figure of Object.values(side.figures[action])) figure.length = 0;
      }
  for (const [at, { figures, clients, peer }] of sides.entries()) {
    const cells = actions.flatMap((action) => [
      median(figures[action].time).toFixed(1),
      median(figures[action].cpu).toFixed(1),
    ]);
    const build = at ? values.with[at - 1]! : 'this';
    console.log(`| ${[database, `${hosts}, ${servers}`, build, ...cells].join(' | ')} |`);
    for (const client of Object.values(clients)) client.close();
    await peer.stop();
  }
}

const mysql = await startMysql();
if (!mysql) throw new Error('This needs MariaDB or MySQL: install mariadb-server.');
try {
  console.log(`Node ${process.version}, ${mysql.version}; ${cpus().length} cores; medians\n`);
  const titles = actions.flatMap((action) => [`${action}, ms`, 'its CPU, ms']);
  console.log(`| ${['database', 'hosts, servers', 'build', ...titles].join(' | ')} |`);
  console.log(`|${'---|'.repeat(9)}`);
  for (const database of values.databases.split(',')) await measureDatabase(mysql.url, database);
} finally {
  await mysql.stop();
  rmSync(folder, { recursive: true, force: true });
}
