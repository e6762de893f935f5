// Measures servers created per second in an anti-affinity group, by the number of hosts, and lists
// of servers (npm run bench:servers).
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { cirrosId } from '../../src/services/image/index.ts';
import { startMysql } from '../../test/support/mysql.ts';
import { clientFor, rate, type Client } from '../client.ts';
import { startCumulet } from '../cumulet.ts';
import { median } from '../statistics.ts';

const { values } = parseArgs({
  options: {
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

async function withCumulet<T>(
  mysql: string,
  hosts: number,
  setup: Setup,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const flags = ['--hosts', String(hosts), ...setup.flags];
  const peer = await startCumulet(mysql, `servers_${hosts}_${Date.now()}`, setup.processes, flags);
  const client = clientFor(peer.origin.replace('/placement', '/compute/v2.1'), {
    service: 'compute',
    newest: '2.104',
  });
  try {
    const quota_set = {
      instances: -1,
      cores: -1,
      ram: -1,
      server_group_members: -1,
      server_groups: -1,
    };
    await client.must({ method: 'PUT', path: '/os-quota-sets/bench', body: { quota_set } });
    return await work(client);
  } finally {
    client.close();
    await peer.stop();
  }
}

const mysql = await startMysql();
if (!mysql) throw new Error('This needs MariaDB or MySQL: install mariadb-server.');
try {
  const { url } = mysql;
  console.log(
    `Node ${process.version}, ${mysql.version}; ${cpus().length} cores; ${clients} clients; ` +
      `medians of ${rounds} rounds\n`,
  );
  console.log(`| hosts | database | servers created /s | deleted /s |\n|---|---|---|---|`);
  for (const [hosts, setup] of numbers(values.hosts).flatMap((hosts) =>
    setups.map((setup) => [hosts, setup] as const),
  )) {
    const runs = await withCumulet(url, hosts, setup, async (client) => {
      const all = [];
      for (let round = 0; round <= rounds; round++) all.push(await createAndDelete(client, hosts));
      return all.slice(1); // the first warms up
    });
    const [created, deleted] = [
      median(runs.map((run) => run.created)),
      median(runs.map((run) => run.deleted)),
    ];
    console.log(`| ${hosts} | ${setup.title} | ${created.toFixed(1)} | ${deleted.toFixed(1)} |`);
  }
  console.log(`\n| servers listed in detail | lists /s | servers /s |\n|---|---|---|`);
  await withCumulet(url, 100, setups[0]!, async (client) => {
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
  });
} finally {
  await mysql.stop();
}
