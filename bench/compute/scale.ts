// Measures how the cost of single requests grows with the number of hosts, and draws it
// (npm run bench:scale -- --svg FILE).
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { cirrosId } from '../../src/services/image/index.ts';
import { startMysql } from '../../test/support/mysql.ts';
import { chartOf } from '../chart.ts';
import { clientFor, type Client } from '../client.ts';
import { cpuOf } from '../cpu.ts';
import { startCumulet, type Peer } from '../cumulet.ts';
import { median } from '../statistics.ts';

const { values } = parseArgs({
  options: {
    hosts: { type: 'string', default: '10,100,1000,10000' },
    databases: { type: 'string', default: 'memory,MariaDB' },
    /** A file for the picture of the first database. */
    svg: { type: 'string' },
  },
});
const hostCounts = values.hosts.split(',').map(Number);

/** The clients of a running emulator, by service. */
interface Clients {
  readonly compute: Client;
  readonly placement: Client;
  readonly reservation: Client;
}

function clientsOf({ origin }: Peer): Clients {
  const at = (path: string, service: string, newest: string): Client =>
    clientFor(origin.replace('/placement', path), { service, newest });
  return {
    compute: at('/compute/v2.1', 'compute', '2.90'),
    placement: at('/placement', 'placement', '1.39'),
    reservation: at('/reservation/v1', 'reservation', '1.0'),
  };
}

/** The CPU time of the emulator for each of several repetitions, in milliseconds; their median. */
async function cpuEach(
  { pid }: Peer,
  repetitions: number,
  work: (index: number) => Promise<unknown>,
): Promise<number> {
  const spent: number[] = [];
  for (let index = 0; index < repetitions; index++) {
    const before = cpuOf(pid!);
    await work(index);
    spent.push(cpuOf(pid!) - before);
  }
  return median(spent);
}

const serverOf = (index: number): object => ({
  name: `server-${index}`,
  flavorRef: '42',
  imageRef: cirrosId,
  networks: 'none',
});

/** Creates servers in one request, and sends another right after it. */
async function createBatch(compute: Client, count: number): Promise<number> {
  const server = { ...serverOf(0), min_count: count, max_count: count };
  await compute.must({ method: 'POST', path: '/servers', body: { server } });
  const began = performance.now();
  await compute.must({ method: 'GET', path: '/servers?limit=1' });
  return performance.now() - began;
}

const day = 86_400_000;
const date = (time: number): string => new Date(time).toISOString().slice(0, 16).replace('T', ' ');

/** A lease of one instance on a day of its own. */
function leaseOf(index: number): object {
  const start = Date.parse('2050-01-01T00:00:00Z') + index * 2 * day;
  const size = { vcpus: 1, memory_mb: 1024, disk_gb: 5, amount: 1, affinity: null };
  const reservation = { resource_type: 'virtual:instance', resource_properties: '', ...size };
  const [start_date, end_date] = [date(start), date(start + day)];
  return { name: `lease-${index}`, start_date, end_date, reservations: [reservation] };
}

/** Registers all hosts for leases, eight at a time. */
async function register(reservation: Client, hosts: number): Promise<void> {
  const names = Array.from({ length: hosts }, (_, index) => `compute-${index + 1}`);
  const next = async (): Promise<void> => {
    for (let name = names.shift(); name !== undefined; name = names.shift())
      await reservation.must({ method: 'POST', path: '/os-hosts', body: { name } });
  };
  await Promise.all(Array.from({ length: 8 }, next));
}

const measured = [
  'start, s',
  'a server',
  'one of min_count=100',
  'wait after min_count=100',
  'candidates, limit=1000',
  'servers/detail, limit=1000',
  'hypervisors/detail, limit=1000',
  'a lease',
] as const;
type Measured = Record<(typeof measured)[number], number>;

/** Starts an emulator with this number of hosts, and stops it after `use`. */
async function withHosts<T>(
  { url, database, hosts }: Place,
  use: (peer: Peer, clients: Clients) => Promise<T>,
): Promise<T> {
  const flags = ['--hosts', String(hosts)];
  if (database === 'memory') flags.push('--database', 'memory:');
  const peer = await startCumulet(url, `scale_${hosts}_${Date.now()}`, 1, flags);
  const clients = clientsOf(peer);
  try {
    return await use(peer, clients);
  } finally {
    for (const client of Object.values(clients)) client.close();
    await peer.stop();
  }
}

interface Place {
  /** The address of the MySQL server. */
  readonly url: string;
  readonly database: string;
  readonly hosts: number;
}

async function measure(place: Place): Promise<Measured> {
  const began = performance.now();
  return {
    ...(await withHosts(place, async (peer, clients) => ({
      'start, s': (performance.now() - began) / 1000,
      ...(await measureServers(peer, clients, place.hosts)),
    }))),
    // In an emulator of its own: a host with servers cannot be registered for leases.
    'a lease': await withHosts(place, async (peer, { reservation }) => {
      await register(reservation, place.hosts);
      return cpuEach(peer, 9, (index) =>
        reservation.must({ method: 'POST', path: '/leases', body: leaseOf(index) }),
      );
    }),
  };
}

async function measureServers(
  peer: Peer,
  { compute, placement }: Clients,
  hosts: number,
): Promise<Omit<Measured, 'start, s' | 'a lease'>> {
  const quota_set = { instances: -1, cores: -1, ram: -1 };
  await compute.must({ method: 'PUT', path: '/os-quota-sets/bench', body: { quota_set } });
  const create = (index: number): Promise<unknown> =>
    compute.must({ method: 'POST', path: '/servers', body: { server: serverOf(index) } });
  for (let index = 0; index < 20; index++) await create(index); // warms up
  const server = await cpuEach(peer, 60, create);
  const waits: number[] = [];
  const batchSize = hosts < 100 ? 20 : 100; // ten hosts have no room for more of these
  const batch = await cpuEach(peer, 5, async () => {
    waits.push(await createBatch(compute, batchSize));
  });
  const read = (client: Client, path: string): Promise<number> =>
    cpuEach(peer, 9, () => client.drain(path));
  return {
    'a server': server,
    'one of min_count=100': batch / batchSize,
    'wait after min_count=100': median(waits),
    'candidates, limit=1000': await read(
      placement,
      '/allocation_candidates?resources=VCPU:1,MEMORY_MB:512&limit=1000',
    ),
    'servers/detail, limit=1000': await read(compute, '/servers/detail?limit=1000'),
    'hypervisors/detail, limit=1000': await read(compute, '/os-hypervisors/detail?limit=1000'),
  };
}

const mysql = await startMysql();
if (!mysql) throw new Error('This needs MariaDB or MySQL: install mariadb-server.');
console.log(
  `Node ${process.version}, ${mysql.version}; CPU time of the emulator in ms, medians; the start and ` +
    'the wait are wall time\n',
);
console.log(`| database | hosts | ${measured.join(' | ')} |`);
console.log(`|---|---|${measured.map(() => '---|').join('')}`);
for (const [at, database] of values.databases.split(',').entries()) {
  const results: Measured[] = [];
  for (const hosts of hostCounts) {
    const result = await measure({ url: mysql.url, database, hosts });
    results.push(result);
    const cells = measured.map((name) => result[name].toFixed(name === 'start, s' ? 1 : 2));
    console.log(`| ${database} | ${hosts} | ${cells.join(' | ')} |`);
  }
  if (at > 0 || values.svg === undefined) continue;
  const lines = measured
    .filter((name) => !name.startsWith('start') && !name.startsWith('wait'))
    .map((name) => ({ name, values: results.map((result) => result[name]) }));
  const title = 'CPU time of one request, in ms, by the number of hosts';
  writeFileSync(values.svg, chartOf({ title, at: hostCounts, lines }));
}
await mysql.stop();
