// Measures the cost of the journal: the same requests with it off and on, in alternating rounds in
// one process (npm run bench:journal).
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startMysql } from '../test/support/mysql.ts';
import { clientFor, rate, type Client } from './client.ts';
import { startCumulet, type Peer } from './cumulet.ts';
import { at, median } from './statistics.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '20' },
    keep: { type: 'string', default: '1000' },
  },
});
const [seconds, rounds, keep] = [values.seconds, values.rounds, values.keep].map(Number) as [
  number,
  number,
  number,
];

const uuid = '00000000-0000-4000-8000-000000000001';
const provider = `/resource_providers/${uuid}`;

/** Sends one request of a load, by its number. */
interface Load {
  readonly name: string;
  readonly ask: (client: Client, index: number) => Promise<unknown>;
}

const loads: readonly Load[] = [
  { name: 'GET a provider', ask: (client) => client.drain(provider) },
  { name: 'PUT an allocation', ask: (client, index) => client.must(claim(index)) },
];

function claim(index: number) {
  const consumer = `10000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
  const body = {
    allocations: { [uuid]: { resources: { VCPU: 1 } } },
    project_id: 'p',
    user_id: 'u',
    consumer_generation: null,
    consumer_type: 'INSTANCE',
  };
  return { method: 'PUT', path: `/allocations/${consumer}`, body };
}

/** The CPU time that a process has used, in seconds. */
function usedBy(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** The first quartile of CPU times: the rounds that other programs disturbed least. */
const quarter = (numbers: readonly number[]): number => at(1 / 4, numbers);

async function measure(name: string, peer: Peer): Promise<void> {
  const client = clientFor(peer.origin, peer);
  const switchTo = async (number: number): Promise<void> => {
    const headers = { 'content-type': 'application/json' };
    const url = `${new URL(peer.origin).origin}/_emulator/requests`;
    await fetch(url, { method: 'PUT', headers, body: JSON.stringify({ keep: number }) });
  };
  await client.must({ method: 'POST', path: '/resource_providers', body: { name: 'a', uuid } });
  const inventories = { VCPU: { total: 10_000_000 } };
  await client.must({
    method: 'PUT',
    path: `${provider}/inventories`,
    body: { resource_provider_generation: 0, inventories },
  });
  let claims = 0;
  for (const load of loads) {
    const found = {
      off: [] as number[],
      on: [] as number[],
      offTime: [] as number[],
      onTime: [] as number[],
    };
    for (let round = 0; round <= rounds; round++)
      for (const state of ['off', 'on'] as const) {
        await switchTo(state === 'on' ? keep : 0);
        const before = usedBy(peer.pid!);
        let sent = 0;
        const perSecond = await rate(8, { seconds }, () => load.ask(client, claims + sent++));
        claims += sent;
        if (round === 0) continue; // the first round warms up
        found[state].push(perSecond);
        found[`${state}Time`].push(((usedBy(peer.pid!) - before) / sent) * 1e6);
      }
    const ratios = found.off.map((off, round) => found.on[round]! / off);
    console.log(
      `| ${name} | ${load.name} | ${median(found.off).toFixed(0)} | ` +
        `${median(found.on).toFixed(0)} ` +
        `| ${median(ratios).toFixed(2)} ` +
        `(${quarter(ratios).toFixed(2)}-${at(3 / 4, ratios).toFixed(2)}) ` +
        `| ${quarter(found.offTime).toFixed(0)} | ${quarter(found.onTime).toFixed(0)} |`,
    );
  }
  client.close();
}

console.log(
  '| database | load | off /s | on /s | on ÷ off | CPU off, µs | CPU on, µs |\n' +
    '|---|---|---|---|---|---|---|',
);
const memory = await startCumulet('mysql://unused', 'unused', 1, ['--database', 'memory:']);
try {
  await measure('SQLite in memory', memory);
} finally {
  await memory.stop();
}
const mysql = await startMysql();
if (mysql) {
  const peer = await startCumulet(mysql.url, 'cumulet_journal', 1);
  try {
    await measure(mysql.version, peer);
  } finally {
    await peer.stop();
    await mysql.stop();
  }
}
