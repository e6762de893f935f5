// Measures what a lease costs with Keystone, in memory and on MariaDB, in alternating rounds of
// this build and others (npm run bench:lease-cost).
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { startMysql } from '../../test/support/mysql.ts';
import { clientFor, type Client } from '../client.ts';
import { cpuOf } from '../cpu.ts';
import { startCumulet, type Peer } from '../cumulet.ts';
import { signIn } from '../sign-in.ts';
import { statementCounter } from '../statements.ts';
import { median } from '../statistics.ts';
import { leaseRequest, reservations } from './request.ts';

const { values } = parseArgs({
  options: {
    /** The folders of other checkouts, which have been built. */
    with: { type: 'string', multiple: true, default: [] },
    hosts: { type: 'string', default: '20' },
    /** The leases of a round. */
    leases: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '5' },
    /** How often each build is started: one process may be compiled better than the next. */
    starts: { type: 'string', default: '1' },
    /** The rounds before those that count: Node compiles what runs often. */
    'warm-up': { type: 'string', default: '5' },
  },
});
const [hosts, leases, rounds, starts, warmUp] = [
  values.hosts,
  values.leases,
  values.rounds,
  values.starts,
  values['warm-up'],
].map(Number) as [number, number, number, number, number];

type ResourceType = keyof typeof reservations;

/** What a lease takes. */
interface Cost {
  readonly wall: number;
  readonly cpu: number;
  readonly statements: number;
}

/** A build that has been started, with its hosts. */
interface Side {
  readonly peer: Peer;
  readonly client: Client;
  /** How many statements it has run. */
  readonly statements: () => Promise<number>;
  created: number;
  readonly stop: () => Promise<void>;
}

/** @param folder the checkout of another build */
async function start(mysql: string | undefined, folder: string | undefined): Promise<Side> {
  const counter = statementCounter();
  const flags = ['--hosts', String(hosts), '--auth', 'keystone'];
  if (mysql === undefined) flags.push('--database', 'memory:');
  const database = `lease_cost_${Date.now()}`;
  const peer = await startCumulet(
    mysql ?? 'mysql://none',
    database,
    1,
    flags,
    folder,
    counter.nodeFlags,
  );
  const { token } = await signIn(peer.origin);
  const client = clientFor(new URL('/reservation/v1', peer.origin).href, {
    service: 'reservation',
    newest: '1.0',
    token,
  });
  for (let index = 1; index <= hosts; index++)
    await client.must({ method: 'POST', path: '/os-hosts', body: { name: `compute-${index}` } });
  return {
    peer,
    client,
    statements: () => (mysql === undefined ? counter.count(peer.pid!) : queriesOf(mysql)),
    created: 0,
    stop: async () => {
      client.close();
      await peer.stop();
      counter.remove();
    },
  };
}

async function queriesOf(mysql: string): Promise<number> {
  const connection = await createConnection(mysql);
  const [rows] = await connection.query<RowDataPacket[]>("SHOW GLOBAL STATUS LIKE 'Queries'");
  await connection.end();
  return Number(rows[0]!['Value']);
}

/** Creates leases sequentially, none of which overlap. */
async function book(side: Side, resourceType: ResourceType): Promise<Cost> {
  const { client, peer } = side;
  const counted = await side.statements();
  const [started, before] = [performance.now(), cpuOf(peer.pid!)];
  for (let index = 0; index < leases; index++) {
    const number = side.created++;
    const body = leaseRequest(`lease ${number}`, number * 6, resourceType);
    await client.must({ method: 'POST', path: '/leases', body });
  }
  const [wall, cpu] = [performance.now() - started, cpuOf(peer.pid!) - before];
  const statements = (await side.statements()) - counted;
  return { wall: wall / leases, cpu: cpu / leases, statements: statements / leases };
}

async function measure(mysql: string | undefined, resourceType: ResourceType): Promise<void> {
  const builds = [undefined, ...values.with];
  const costs = builds.map((): Cost[] => []);
  for (let count = 0; count < starts; count++) {
    const sides: Side[] = [];
    for (const folder of builds) sides.push(await start(mysql, folder));
    const inOrder = [...sides.entries()];
    for (let round = -warmUp; round < rounds; round++)
      // Neither build is always the first of a round.
      for (const [at, side] of round % 2 ? inOrder.toReversed() : inOrder) {
        const cost = await book(side, resourceType);
        if (round >= 0) costs[at]!.push(cost);
      }
    for (const { stop } of sides) await stop();
  }
  for (const [at, folder] of builds.entries()) {
    const own = costs[at]!;
    const cells = (['statements', 'cpu', 'wall'] as const).map((what) =>
      median(own.map((cost) => cost[what])).toFixed(2),
    );
    const ratio = median(own.map(({ cpu }, round) => costs[0]![round]!.cpu / cpu)).toFixed(2);
    const name = [mysql === undefined ? 'memory' : 'MariaDB', resourceType, folder ?? 'this'];
    console.log(`| ${[...name, ...cells, ratio].join(' | ')} |`);
  }
}

const server = await startMysql();
console.log(
  `Node ${process.version}, ${server?.version ?? 'no MariaDB'}; ${hosts} hosts; medians of ` +
    `${rounds} rounds of ${leases} leases in each of ${starts} processes\n`,
);
// The last column compares this build with each in the same rounds.
console.log(
  '| database | type | build | statements | CPU, ms | ms | CPU of this |\n|---|---|---|---|---|---|---|',
);
try {
  for (const mysql of [undefined, ...(server ? [server.url] : [])])
    for (const resourceType of Object.keys(reservations) as ResourceType[])
      await measure(mysql, resourceType);
} finally {
  await server?.stop();
}
