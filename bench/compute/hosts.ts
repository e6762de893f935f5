// Measures the CPU time of a new server by the number of hosts, in alternating rounds of this build
// and others (npm run bench:hosts -- --with FOLDER).
import { parseArgs } from 'node:util';
import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';
import { cirrosId } from '../../src/services/image/index.ts';
import { startMysql } from '../../test/support/mysql.ts';
import { clientFor, type Client } from '../client.ts';
import { cpuOf } from '../cpu.ts';
import { startCumulet, type Peer } from '../cumulet.ts';
import { median } from '../statistics.ts';

const { values } = parseArgs({
  options: {
    /** The folders of other checkouts, which have been built. */
    with: { type: 'string', multiple: true, default: [] },
    hosts: { type: 'string', default: '10,100,1000,2000' },
    servers: { type: 'string', default: '40' },
    rounds: { type: 'string', default: '3' },
    /** The rounds before those that count: Node compiles what runs often. */
    'warm-up': { type: 'string', default: '1' },
    databases: { type: 'string', default: 'memory,MariaDB' },
  },
});
const [servers, rounds] = [values.servers, values.rounds].map(Number) as [number, number];
const warmUp = Number(values['warm-up']);
const folders = [undefined, ...values.with];

/** Creates servers one at a time, and waits until they are built. */
async function create(client: Client): Promise<void> {
  for (let index = 0; index < servers; index++) {
    const server = { name: 'bench', flavorRef: '42', imageRef: cirrosId, networks: 'none' };
    await client.must({ method: 'POST', path: '/servers', body: { server } });
  }
  const { servers: unfinished } = (await client.must({
    method: 'GET',
    path: '/servers?status=BUILD',
  })) as { servers: unknown[] };
  if (unfinished.length) throw new Error(`${unfinished.length} servers have not been built.`);
}

/** Deletes all servers, so that the hosts never fill up. */
async function deleteAll(client: Client): Promise<void> {
  for (;;) {
    const list = await client.must({ method: 'GET', path: '/servers' });
    const { servers: found } = list as { servers: { id: string }[] };
    if (!found.length) return;
    for (const { id } of found) await client.must({ method: 'DELETE', path: `/servers/${id}` });
  }
}

async function prepare(client: Client): Promise<void> {
  const quota_set = { instances: -1, cores: -1, ram: -1 };
  await client.must({ method: 'PUT', path: '/os-quota-sets/bench', body: { quota_set } });
}

async function queriesOf(connection: Connection): Promise<number> {
  const [rows] = await connection.query<RowDataPacket[]>("SHOW GLOBAL STATUS LIKE 'Queries'");
  return Number(rows[0]!['Value']);
}

interface Side {
  readonly peer: Peer;
  readonly client: Client;
  readonly cpu: number[];
  readonly statements: number[];
}

async function start(url: string, hosts: number, at: number, isMemory: boolean): Promise<Side> {
  const flags = ['--hosts', String(hosts), ...(isMemory ? ['--database', 'memory:'] : [])];
  const peer = await startCumulet(url, `hosts_${hosts}_${at}`, 1, flags, folders[at]);
  const client = clientFor(peer.origin.replace('/placement', '/compute/v2.1'), {
    service: 'compute',
    newest: '2.90',
  });
  await prepare(client);
  return { peer, client, cpu: [], statements: [] };
}

const mysql = await startMysql();
if (!mysql) throw new Error('This needs MariaDB or MySQL: install mariadb-server.');
const connection = await createConnection(mysql.url);
console.log(`Node ${process.version}, ${mysql.version}; medians of ${rounds} rounds\n`);
console.log(
  '| database | hosts | build | CPU of a server, ms | its statements |\n|---|---|---|---|---|',
);
for (const database of values.databases.split(',')) {
  for (const hosts of values.hosts.split(',').map(Number)) {
    const sides: Side[] = [];
    for (const at of folders.keys())
      sides.push(await start(mysql.url, hosts, at, database === 'memory'));
    for (let round = 0; round < warmUp + rounds; round++)
      for (const { peer, client, cpu, statements } of round % 2 ? sides.toReversed() : sides) {
        const [before, queries] = [cpuOf(peer.pid!), await queriesOf(connection)];
        await create(client);
        if (round >= warmUp) {
          cpu.push((cpuOf(peer.pid!) - before) / servers);
          statements.push(((await queriesOf(connection)) - queries) / servers);
        }
        await deleteAll(client);
      }
    for (const [at, { peer, client, cpu, statements }] of sides.entries()) {
      const counted = database === 'memory' ? '' : median(statements).toFixed(1);
      console.log(
        `| ${database} | ${hosts} | ${at ? values.with[at - 1] : 'this'} ` +
          `| ${median(cpu).toFixed(2)} | ${counted} |`,
      );
      client.close();
      await peer.stop();
    }
  }
}
await connection.end();
await mysql.stop();
