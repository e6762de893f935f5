// Leases: created a second with so many hosts and so many leases already booked: npm run bench:leases
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { startMysql } from '../../test/support/mysql.ts';
import { clientFor, rate, type Client } from '../client.ts';
import { startCumulet } from '../cumulet.ts';

const { values } = parseArgs({
  options: {
    hosts: { type: 'string', default: '1000' },
    booked: { type: 'string', default: '0,1000,10000' },
    leases: { type: 'string', default: '50' },
    clients: { type: 'string', default: '4' },
  },
});
const [hosts, leases, clients] = [values.hosts, values.leases, values.clients].map(Number) as [number, number, number];
const booked = values.booked.split(',').map(Number);

const day = 86_400_000;
const first = Date.parse('2050-01-01T00:00:00Z');
const date = (time: number): string => new Date(time).toISOString().slice(0, 16).replace('T', ' ');

/** A lease of four instances for some days of a year: some hundred of them meet at a time. */
function leaseOf(index: number): object {
  const start = first + ((index * 37) % 360) * day;
  const size = { vcpus: 1, memory_mb: 1024, disk_gb: 5, amount: 4, affinity: null, resource_properties: '' };
  return {
    name: `lease ${index}`,
    start_date: date(start),
    end_date: date(start + 5 * day),
    reservations: [{ resource_type: 'virtual:instance', ...size }],
  };
}

const book = (client: Client, index: number): Promise<unknown> =>
  client.must({ method: 'POST', path: '/leases', body: leaseOf(index) });

const mysql = await startMysql();
if (!mysql) throw new Error('This needs MariaDB or MySQL: install mariadb-server.');
const peer = await startCumulet(mysql.url, `leases_${Date.now()}`, 2, ['--hosts', String(hosts)]);
const client = clientFor(peer.origin.replace('/placement', '/reservation/v1'), 'reservation', '1.0');
try {
  console.log(`Node ${process.version}, ${mysql.version}; 2 processes; ${cpus().length} cores; ${clients} clients\n`);
  const registered = await rate(clients, { pieces: hosts }, (index) =>
    client.must({ method: 'POST', path: '/os-hosts', body: { name: `compute-${index + 1}` } }),
  );
  console.log(`${hosts} hosts, registered ${registered.toFixed(1)} a second\n`);
  console.log('| leases booked | created /s | one after the other, ms | listed, ms |\n|---|---|---|---|');
  let made = 0;
  for (const count of booked) {
    if (count > made) await rate(clients, { pieces: count - made }, (index) => book(client, made + index));
    made = Math.max(made, count);
    const created = await rate(clients, { pieces: leases }, (index) => book(client, made + index));
    made += leases;
    const alone = 1000 / (await rate(1, { pieces: 10 }, (index) => book(client, made + index)));
    made += 10;
    const listed = 1000 / (await rate(1, { pieces: 3 }, () => client.drain('/leases')));
    console.log(`| ${count} | ${created.toFixed(1)} | ${alone.toFixed(0)} | ${listed.toFixed(0)} |`);
  }
} finally {
  client.close();
  await peer.stop();
  await mysql.stop();
}
