// Measures servers created per second in an anti-affinity group, by the number of hosts, in
// alternating rounds of this build and others, and lists of servers (npm run bench:servers).
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { cirrosId } from '../../src/services/image/index.ts';
import { startMysql } from '../../test/support/mysql.ts';
import { clientFor, rate, type Client } from '../client.ts';
import { startCumulet } from '../cumulet.ts';
import { median } from '../statistics.ts';

const { values } = parseArgs({
  options: {
    /** The folders of other checkouts, which have been built. */
    with: { type: 'string', multiple: true, default: [] },
    /** A part of the titles of the databases to measure. */
    only: { type: 'string', default: '' },
    /** The rounds before those that count: Node compiles what runs often. */
    'warm-up': { type: 'string', default: '1' },
    hosts: { type: 'string', default: '10,100,1000' },
    servers: { type: 'string', default: '200' },
    listed: { type: 'string', default: '100,1000' },
    rounds: { type: 'string', default: '3' },
    clients: { type: 'string', default: '8' },
  },
});
const numbers = (text: string): number[] => text.split(',').map(Number);
const [servers, rounds, clients] = [values.servers, values.rounds, values.clients].map(Number) as [
  number,
  number,
  number,
];

interface Created {
  readonly server: { readonly id: string };
}

async function create(client: Client, index: number, group?: string): Promise<string> {
  const server = { name: `s${index}`, flavorRef: '42', imageRef: cirrosId, networks: 'none' };
  const body = { server, ...(group === undefined ? {} : { 'os:scheduler_hints': { group } }) };
  return ((await client.must({ method: 'POST', path: '/servers', body })) as Created).server.id;
}

/**
 * Measures servers created and deleted per second, in a group whose limit for each host lets all of
 * them fit.
 */
async function createAndDelete(
  client: Client,
  hosts: number,
): Promise<{ created: number; deleted: number }> {
  const rules = { max_server_per_host: Math.ceil(servers / hosts) + 1 };
  const request = { server_group: { name: 'bench', policy: 'anti-affinity', rules } };
  const made = await client.must({ method: 'POST', path: '/os-server-groups', body: request });
  const { id: group } = (made as { server_group: { id: string } }).server_group;
  const ids: string[] = [];
  const created = await rate(clients, { pieces: servers }, async (index) =>
    ids.push(await create(client, index, group)),
  );
  const deleted = await rate(clients, { pieces: servers }, (index) =>
    client.must({ method: 'DELETE', path: `/servers/${ids[index]}` }),
  );
  await client.must({ method: 'DELETE', path: `/os-server-groups/${group}` });
  return { created, deleted };
}

/** A database for the servers, and the number of processes. */
interface Setup {
  readonly title: string;
  readonly processes: number;
  readonly flags: readonly string[];
}

const setups: readonly Setup[] = [
  { title: 'MariaDB, 2 processes', processes: 2, flags: [] },
  { title: 'MariaDB, 1 process', processes: 1, flags: [] },
  { title: 'SQLite in memory', processes: 1, flags: ['--database', 'memory:'] },
];

/** A build that has been started. */
interface Side {
  readonly build: string;
  readonly client: Client;
  readonly stop: () => Promise<void>;
}

/** @param folder the checkout of another build */
async function start(mysql: string, hosts: number, setup: Setup, folder?: string): Promise<Side> {
  const flags = ['--hosts', String(hosts), ...setup.flags];
  const database = `servers_${hosts}_${Date.now()}`;
  const peer = await startCumulet(mysql, database, setup.processes, flags, folder);
  const client = clientFor(peer.origin.replace('/placement', '/compute/v2.1'), {
    service: 'compute',
    newest: '2.90',
  });
  const quota_set = {
    instances: -1,
    cores: -1,
    ram: -1,
    server_group_members: -1,
    server_groups: -1,
  };
  await client.must({ method: 'PUT', path: '/os-quota-sets/bench', body: { quota_set } });
  return {
    build: folder ?? 'this',
    client,
    stop: async () => {
      client.close();
      await peer.stop();
    },
  };
}

/** Measures creations and deletions of each build in alternating rounds. */
async function measure(mysql: string, hosts: number, setup: Setup): Promise<void> {
  const sides: Side[] = [];
  for (const folder of [undefined, ...values.with])
    sides.push(await start(mysql, hosts, setup, folder));
  const runs = sides.map((): Awaited<ReturnType<typeof createAndDelete>>[] => []);
  for (let round = -Number(values['warm-up']); round < rounds; round++)
    for (const [at, { client }] of sides.entries()) {
      const run = await createAndDelete(client, hosts);
      if (round >= 0) runs[at]!.push(run);
    }
  for (const [at, { build, stop }] of sides.entries()) {
    const created = median(runs[at]!.map((run) => run.created));
    const deleted = median(runs[at]!.map((run) => run.deleted));
    const rates = `${created.toFixed(1)} | ${deleted.toFixed(1)}`;
    console.log(`| ${hosts} | ${setup.title} | ${build} | ${rates} |`);
    await stop();
  }
}

/** Measures lists of this build. */
async function measureLists(mysql: string): Promise<void> {
  console.log(`\n| servers listed in detail | lists /s | servers /s |\n|---|---|---|`);
  const { client, stop } = await start(mysql, 100, setups[0]!);
  let have = 0;
  for (const listed of numbers(values.listed)) {
    await rate(clients, { pieces: listed - have }, (index) => create(client, index));
    have = listed;
    const rates: number[] = [];
    for (let round = 0; round <= rounds; round++)
      rates.push(await rate(2, { seconds: 2 }, () => client.drain('/servers/detail?limit=1000')));
    const lists = median(rates.slice(1));
    console.log(`| ${listed} | ${lists.toFixed(1)} | ${(lists * listed).toFixed(0)} |`);
  }
  await stop();
}

const mysql = await startMysql();
if (!mysql) throw new Error('This needs MariaDB or MySQL: install mariadb-server.');
try {
  const { url } = mysql;
  console.log(
    `Node ${process.version}, ${mysql.version}; ${cpus().length} cores; ${clients} clients; ` +
      `medians of ${rounds} rounds\n`,
  );
  console.log(
    '| hosts | database | build | servers created /s | deleted /s |\n|---|---|---|---|---|',
  );
  for (const hosts of numbers(values.hosts))
    for (const setup of setups)
      if (setup.title.includes(values.only)) await measure(url, hosts, setup);
  if (values.listed) await measureLists(url);
} finally {
  await mysql.stop();
}
