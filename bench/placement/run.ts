// Compares Cumulet with the real Placement: one MariaDB, the same data, and the same load in
// alternating rounds (npm run bench:placement).
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { startMysql } from '../../test/support/mysql.ts';
import { clientFor, type Client } from '../client.ts';
import { floorFor } from './floor.ts';
import { fill, loads, type Filled, type Load, type World } from './loads.ts';
import { startCumulet, type Peer } from '../cumulet.ts';
import { startPlacement } from './peers.ts';
import { median } from '../statistics.ts';

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    processes: { type: 'string', default: '2' },
    only: { type: 'string', default: '' },
    alone: { type: 'boolean', default: false },
  },
});
const [size, seconds, rounds, processes] = [
  values.size,
  values.seconds,
  values.rounds,
  values.processes,
].map(Number) as [number, number, number, number];

interface Place {
  readonly peer: Peer;
  readonly client: Client;
  readonly filled: Filled;
}

const shown = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);

const mysql = await startMysql();
if (!mysql) throw new Error('This needs MariaDB or MySQL: install mariadb-server.');
const chosen = loads.filter(({ name }) => name.includes(values.only));
const rows: string[] = [];
let versions = '';
try {
  for (const world of new Set(chosen.map((load) => load.world))) await runWorld(world);
} finally {
  await mysql.stop();
}
console.log(
  `\nNode ${process.version}, ${mysql.version}, ${versions}; ${processes} processes each; ` +
    `${cpus().length} cores (${cpus()[0]?.model}), ${Math.round(totalmem() / 2 ** 30)} GiB`,
);
console.log(
  `${size} trees or hosts; medians of ${rounds} alternating rounds of ${seconds} s ` +
    '(lowest and highest ratio in brackets)\n',
);
console.log(
  '| load | unit | Cumulet /s | real /s | ratio | floor /s | floor ÷ Cumulet |\n' +
    '|---|---|---|---|---|---|---|',
);
console.log(rows.join('\n'));

async function runWorld(world: World): Promise<void> {
  const peers = [await startCumulet(mysql!.url, `cumulet_${world}`, processes)];
  try {
    const real = values.alone ? undefined : await startPlacementIn(`placement_${world}`);
    if (real) peers.push(real);
    versions = peers.map(({ name, version }) => `${name} ${version}`).join(', ');
    const places: Place[] = [];
    for (const peer of peers) {
      const client = clientFor(peer.origin, peer);
      const filled = await fill(client, world, size);
      console.error(
        `${world}: ${peer.name} filled with ${size} at ${shown(filled.requests)} requests a second`,
      );
      places.push({ peer, client, filled });
    }
    for (const load of chosen.filter((one) => one.world === world)) await runLoad(load, places);
    for (const { client } of places) client.close();
  } finally {
    for (const peer of peers) await peer.stop();
  }
}

async function startPlacementIn(database: string): Promise<Peer | undefined> {
  const { createConnection } = await import('mysql2/promise');
  const connection = await createConnection(mysql!.url);
  await connection.query(`CREATE DATABASE ${database} CHARACTER SET utf8mb4`);
  await connection.end();
  const peer = await startPlacement(mysql!.url, database, processes);
  if (!peer)
    console.error(
      'The real Placement (placement-api, uwsgi) is not installed, so only Cumulet is measured. ' +
        'See bench/README.md.',
    );
  return peer;
}

async function runLoad(load: Load, places: readonly Place[]): Promise<void> {
  const rates = places.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, { client, filled }] of places.entries())
      rates[index]!.push(await load.run(client, filled, seconds));
  }
  const floor = await floorFor(
    load,
    mysql!.url,
    `cumulet_${load.world}_RegionOne`,
    seconds,
    processes,
    load.path?.(places[0]!.filled, 1),
  );
  const [ours, theirs] = rates as [number[], number[]?];
  const ratios = theirs ? ours.map((rate, round) => rate / theirs[round]!) : [];
  const ratio = theirs
    ? `${shown(median(ratios))} (${shown(Math.min(...ratios))}-${shown(Math.max(...ratios))})`
    : '';
  const cells = [
    load.name,
    load.unit,
    shown(median(ours)),
    theirs ? shown(median(theirs)) : '',
    ratio,
    floor ? shown(floor) : '',
    floor ? shown(floor / median(ours)) : '',
  ];
  const row = `| ${cells.join(' | ')} |`;
  console.error(row);
  rows.push(row);
}
