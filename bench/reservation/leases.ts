// Measures leases created per second, by the number of existing leases (npm run bench:leases).
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { startMysql } from '../../test/support/mysql.ts';
import { clientFor, rate, type Client } from '../client.ts';
import { startCumulet } from '../cumulet.ts';
import { leaseRequest } from './request.ts';

const { values } = parseArgs({
  options: {
    hosts: { type: 'string', default: '1000' },
    booked: { type: 'string', default: '0,1000,10000' },
    leases: { type: 'string', default: '50' },
    clients: { type: 'string', default: '4' },
    processes: { type: 'string', default: '2' },
    minutes: { type: 'string', default: '30' },
  },
});
const [hosts, leases, clients, processes, minutes] = [
  values.hosts,
  values.leases,
  values.clients,
  values.processes,
  values.minutes,
].map(Number) as [number, number, number, number, number];
const booked = values.booked.split(',').map(Number);

/** A lease of four instances for five days of a year: about a hundred of them overlap. */
const leaseOf = (index: number): object =>
  leaseRequest(`lease ${index}`, (index * 37) % 360, 'virtual:instance');

const book = (client: Client, index: number): Promise<unknown> =>
  client.must({ method: 'POST', path: '/leases', body: leaseOf(index) });

const mysql = await startMysql();
if (!mysql) throw new Error('This needs MariaDB or MySQL: install mariadb-server.');
const peer = await startCumulet(mysql.url, `leases_${Date.now()}`, processes, [
  '--hosts',
  String(hosts),
]);
const client = clientFor(peer.origin.replace('/placement', '/reservation/v1'), {
  service: 'reservation',
  newest: '1.0',
});
const deadline = performance.now() + minutes * 60_000;

/**
 * Repeats a task and reports progress from time to time.
 * @returns the number of repetitions, which is lower if the time is over
 */
async function fill(
  what: string,
  count: number,
  work: (index: number) => Promise<unknown>,
): Promise<number> {
  let done = 0;
  while (done < count && performance.now() < deadline) {
    const pieces = Math.min(100, count - done);
    const from = done;
    const speed = await rate(clients, { pieces }, (index) => work(from + index));
    done += pieces;
    if (done % 500 === 0)
      process.stderr.write(`  ${what}: ${done} of ${count}, ${speed.toFixed(1)} a second\n`);
  }
  return done;
}

/**
 * The CPU time of the server in milliseconds; undefined for several processes or without /proc.
 */
function processorTime(): number {
  try {
    const [user, system] = readFileSync(`/proc/${peer.pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
      .slice(11, 13)
      .map(Number) as [number, number];
    return (user + system) * 10;
  } catch {
    return NaN;
  }
}

try {
  console.log(
    `Node ${process.version}, ${mysql.version}; ${processes} processes; ` +
      `${cpus().length} cores; ${clients} clients\n`,
  );
  const register = (index: number): Promise<unknown> =>
    client.must({ method: 'POST', path: '/os-hosts', body: { name: `compute-${index + 1}` } });
  const began = performance.now();
  const registered = await fill('hosts', hosts, register);
  console.log(
    `${registered} hosts, registered ` +
      `${((registered / (performance.now() - began)) * 1000).toFixed(1)} per second\n`,
  );
  console.log(
    '| existing leases | created /s | created sequentially, ms | CPU time, ms | listed, ms |\n' +
      '|---|---|---|---|---|',
  );
  let made = 0;
  for (const count of booked) {
    const from = made;
    made += await fill('leases', count - made, (index) => book(client, from + index));
    if (made < count) break;
    const start = made;
    const created = await rate(clients, { pieces: leases }, (index) => book(client, start + index));
    made += leases;
    const before = processorTime();
    const alone = 1000 / (await rate(1, { pieces: 10 }, (index) => book(client, made + index)));
    const used = (processorTime() - before) / 10;
    made += 10;
    const listed = 1000 / (await rate(1, { pieces: 3 }, () => client.drain('/leases')));
    console.log(
      `| ${count} | ${created.toFixed(1)} | ${alone.toFixed(0)} ` +
        `| ${Number.isNaN(used) ? '–' : used.toFixed(0)} | ${listed.toFixed(0)} |`,
    );
  }
  if (performance.now() > deadline)
    console.log(`\nAfter ${minutes} minutes this is where it was: --minutes gives it more.`);
} finally {
  client.close();
  await peer.stop();
  await mysql.stop();
}
