// Measures what a server costs at the gateway, compared with one in a region: the CPU time of the
// emulator for its creation, for showing it and for its deletion (npm run bench:gateway).
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { cirrosId } from '../../src/services/image/index.ts';
import { startMysql } from '../../test/support/mysql.ts';
import { clientFor, type Client } from '../client.ts';
import { startCumulet, type Peer } from '../cumulet.ts';
import { median } from '../statistics.ts';

const { values } = parseArgs({
  options: {
    servers: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '5' },
    network: { type: 'string', default: 'none,auto' },
  },
});
const [servers, rounds] = [values.servers, values.rounds].map(Number) as [number, number];

/** A length of the clock that counts the CPU time of processes. Linux has 100 in a second. */
const tick = 10;

/** The CPU time that a process has used, in milliseconds. */
function cpuTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tick;
}

const steps = ['create', 'show', 'delete'] as const;
type Step = (typeof steps)[number];

/** The CPU time for each server in each step of a round, in milliseconds. */
async function measure(
  pid: number,
  client: Client,
  networks: string,
): Promise<Record<Step, number>> {
  const ids: string[] = [];
  const work: Record<Step, (index: number) => Promise<unknown>> = {
    async create(index) {
      const server = { name: `s${index}`, flavorRef: '42', imageRef: cirrosId, networks };
      const created = await client.must({ method: 'POST', path: '/servers', body: { server } });
      ids.push((created as { server: { id: string } }).server.id);
    },
    show: (index) => client.must({ method: 'GET', path: `/servers/${ids[index]}` }),
    delete: (index) => client.must({ method: 'DELETE', path: `/servers/${ids[index]}` }),
  };
  const spent = { create: 0, show: 0, delete: 0 };
  for (const step of steps) {
    const before = cpuTime(pid);
    for (let index = 0; index < servers; index++) await work[step](index);
    spent[step] = (cpuTime(pid) - before) / servers;
  }
  return spent;
}

/** Servers in RegionOne, and through the gateway above it. */
const places = { region: '/compute/v2.1', gateway: '/CentralRegion/compute/v2.1' } as const;
type Place = keyof typeof places;

async function compare(peer: Peer, networks: string): Promise<Record<Place, Record<Step, number>>> {
  const found: Record<Place, Record<Step, number>[]> = { region: [], gateway: [] };
  for (let round = 0; round <= rounds; round++)
    for (const place of ['region', 'gateway'] as const) {
      const client = clientOf(peer, places[place]);
      const spent = await measure(peer.pid!, client, networks);
      client.close();
      if (round > 0) found[place].push(spent); // the first round warms up
    }
  const medians = (all: readonly Record<Step, number>[]): Record<Step, number> => ({
    create: median(all.map((one) => one.create)),
    show: median(all.map((one) => one.show)),
    delete: median(all.map((one) => one.delete)),
  });
  return { region: medians(found.region), gateway: medians(found.gateway) };
}

const clientOf = (peer: Peer, path: string): Client =>
  clientFor(peer.origin.replace('/placement', path), { service: 'compute', newest: '2.104' });

async function prepare(peer: Peer): Promise<void> {
  const tricircle = clientOf(peer, '/tricircle/v1.0');
  for (const pod of [
    { region_name: 'CentralRegion' },
    { region_name: 'RegionOne', az_name: 'az1' },
  ])
    await tricircle.must({ method: 'POST', path: '/pods', body: { pod } });
  tricircle.close();
  for (const path of Object.values(places)) {
    const client = clientOf(peer, path);
    const quota_set = { instances: -1, cores: -1, ram: -1 };
    await client.must({ method: 'PUT', path: '/os-quota-sets/bench', body: { quota_set } });
    client.close();
  }
  for (const path of ['/network/v2.0', '/CentralRegion/network/v2.0']) {
    const client = clientOf(peer, path);
    const quota = { port: -1, network: -1, subnet: -1 };
    await client.must({ method: 'PUT', path: '/quotas/bench', body: { quota } });
    client.close();
  }
}

const mysql = await startMysql();
const databases = ['memory:', ...(mysql ? [mysql.url] : [])];
try {
  console.log(
    `Node ${process.version}; ${cpus().length} cores; ${servers} servers, one at a time; medians ` +
      `of ${rounds} rounds; CPU time of the emulator for each server, in ms\n`,
  );
  console.log(
    '| database | networks | step | region | gateway | ratio |\n|---|---|---|---|---|---|',
  );
  for (const database of databases) {
    const isMemory = database === 'memory:';
    const flags = ['--hosts', '20', '--regions', 'CentralRegion,RegionOne'];
    const peer = await startCumulet(
      isMemory ? 'mysql://unused' : database,
      `gateway_${Date.now()}`,
      1,
      isMemory ? [...flags, '--database', database] : flags,
    );
    try {
      await prepare(peer);
      for (const networks of values.network.split(',')) {
        const { region, gateway } = await compare(peer, networks);
        const row = (step: string, one: number, other: number): void =>
          console.log(
            `| ${isMemory ? 'SQLite in memory' : mysql!.version} | ${networks} | ${step} | ` +
              `${one.toFixed(1)} | ${other.toFixed(1)} | ${(other / one).toFixed(1)} |`,
          );
        for (const step of steps) row(step, region[step], gateway[step]);
        const sum = (spent: Record<Step, number>): number =>
          steps.reduce((total, step) => total + spent[step], 0);
        row('all', sum(region), sum(gateway));
      }
    } finally {
      await peer.stop();
    }
  }
} finally {
  await mysql?.stop();
}
