// Compares two builds of Cumulet at the loads of bench:placement, in alternating rounds on one
// MariaDB: CPU time of their only process, and what the database did (npm run bench:compare).
import { parseArgs } from 'node:util';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { startMysql } from '../../test/support/mysql.ts';
import { clientFor } from '../client.ts';
import { cpuOf } from '../cpu.ts';
import { startCumulet } from '../cumulet.ts';
import { fill, loads, type Load } from './loads.ts';

const { values } = parseArgs({
  options: {
    /** The folder of the other checkout, which has been built. */
    with: { type: 'string' },
    only: { type: 'string', default: '(e) claim and release, all on one provider' },
    size: { type: 'string', default: '300' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
  },
});
const counters = ['Queries', 'Com_begin', 'Com_rollback'] as const;

if (values.with === undefined) throw new Error('Name the other checkout: --with FOLDER');
const mysql = await startMysql();
if (!mysql) throw new Error('This needs MariaDB or MySQL: install mariadb-server.');
const connection = await createConnection(mysql.url);

async function counts(): Promise<number[]> {
  const [rows] = await connection.query<RowDataPacket[]>('SHOW GLOBAL STATUS');
  const all = new Map(rows.map((row) => [String(row['Variable_name']), Number(row['Value'])]));
  return counters.map((name) => all.get(name)!);
}

type Figures = { pieces: number; cpu: number; counted: number[] };

async function compare(load: Load): Promise<void> {
  const builds = [undefined, values.with];
  const sides = [];
  for (const [at, folder] of builds.entries()) {
    const peer = await startCumulet(mysql!.url, `compare_${load.world}_${at}`, 1, [], folder);
    const client = clientFor(peer.origin, peer);
    const filled = await fill(client, load.world, Number(values.size));
    sides.push({ peer, client, filled, figures: [] as Figures[] });
  }
  for (let round = 0; round <= Number(values.rounds); round++) {
    // Neither build is always the first of a round.
    for (const { peer, client, filled, figures } of round % 2 ? sides.toReversed() : sides) {
      const [cpu, before, began] = [cpuOf(peer.pid!), await counts(), performance.now()];
      const rate = await load.run(client, filled, Number(values.seconds));
      const pieces = (rate * (performance.now() - began)) / 1000;
      const counted = (await counts()).map((count, index) => (count - before[index]!) / pieces);
      // The first round warms up.
      if (round) figures.push({ pieces, cpu: (cpuOf(peer.pid!) - cpu) / pieces, counted });
    }
  }
  for (const [at, { peer, client, figures }] of sides.entries()) {
    const mean = (of: (one: Figures) => number): string =>
      (figures.reduce((sum, one) => sum + of(one), 0) / figures.length).toFixed(2);
    const cells = [
      load.name,
      at ? 'other' : 'this',
      mean(({ pieces }) => pieces / Number(values.seconds)),
      mean(({ cpu }) => cpu),
      ...counters.map((_, index) => mean(({ counted }) => counted[index]!)),
    ];
    console.log(`| ${cells.join(' | ')} |`);
    client.close();
    await peer.stop();
  }
}

console.log(`Node ${process.version}, ${mysql.version}; one process each\n`);
console.log(`| load | build | a second | CPU, ms | statements | BEGIN | ROLLBACK |`);
console.log('|---|---|---|---|---|---|---|');
for (const load of loads.filter(({ name }) => name.includes(values.only))) await compare(load);
await connection.end();
await mysql.stop();
