// Measures the cost of regions: start time, memory, and claims in Placement with 1, 6 and 50 of
// them (npm run bench:regions).
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientFor } from './client.ts';

const main = join(import.meta.dirname, '..', 'dist', 'main.js');
const counts = [1, 6, 50];

interface Started {
  readonly child: ChildProcess;
  readonly origin: string;
  /** Milliseconds from spawn to the first reply of /_emulator/ready. */
  readonly ready: number;
}

async function start(regions: number, database: string): Promise<Started> {
  const names = Array.from({ length: regions }, (_, index) => `Region${index + 1}`).join(',');
  const began = performance.now();
  const flags = [
    '--port',
    '0',
    '--database',
    database,
    '--regions',
    names,
    '--auth',
    'noauth2',
    '--hosts',
    '3',
    '--log-level',
    'warn',
  ];
  const child = spawn(process.execPath, [main, 'start', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const origin = await new Promise<string>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      const found = /listens at (\S+)/.exec(chunk.toString());
      if (found) resolve(found[1]!);
    });
  });
  await fetch(`${origin}/_emulator/ready`);
  return { child, origin, ready: performance.now() - began };
}

async function stop({ child }: Started): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

function residentOf({ child }: Started): string {
  try {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    return `${Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024)} MB`;
  } catch {
    return 'unknown';
  }
}

/** The number of requests in flight, and the duration of each load in milliseconds. */
const inFlight = 8;
const period = 4000;

/** Measures requests per second of a load, which gets the number of each request. */
async function rateOf(load: (index: number) => Promise<unknown>): Promise<number> {
  const began = performance.now();
  let done = 0;
  const work = async (): Promise<void> => {
    while (performance.now() - began < period) await load(done++);
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  return Math.round((done / (performance.now() - began)) * 1000);
}

/** Measures candidates and claims, in one region and spread over all regions. */
async function loadsOf(origin: string, regions: number): Promise<string[]> {
  const clients = Array.from({ length: regions }, (_, index) =>
    clientFor(`${origin}/Region${index + 1}/placement`),
  );
  const hosts = await Promise.all(
    clients.map(async (client) => {
      const { resource_providers: found } = (await client.must({
        method: 'GET',
        path: '/resource_providers',
      })) as {
        resource_providers: { uuid: string }[];
      };
      return found.map(({ uuid }) => uuid);
    }),
  );
  const candidates = (at: number) =>
    clients[at]!.drain('/allocation_candidates?resources=VCPU:1,MEMORY_MB:64&limit=10');
  const claim = async (at: number, index: number): Promise<void> => {
    const path = `/allocations/${crypto.randomUUID()}`;
    const allocations = { [hosts[at]![index % hosts[at]!.length]!]: { resources: { VCPU: 1 } } };
    const body = {
      allocations,
      project_id: 'bench',
      user_id: 'bench',
      consumer_generation: null,
      consumer_type: 'INSTANCE',
    };
    await clients[at]!.must({ method: 'PUT', path, body });
    await clients[at]!.must({ method: 'DELETE', path });
  };
  for (let warm = 0; warm < regions * 20; warm++) await candidates(warm % regions);
  const rates = [
    ['candidates in one', await rateOf(() => candidates(0))],
    ['in all', await rateOf((index) => candidates(index % regions))],
    ['claims in one', await rateOf((index) => claim(0, index))],
    ['in all', await rateOf((index) => claim(index % regions, index))],
  ];
  for (const client of clients) client.close();
  return rates.map(([name, rate]) => `${name} ${rate}/s`);
}

const folder = mkdtempSync(join(tmpdir(), 'cumulet-bench-'));
try {
  console.log(
    `Node ${process.version}; SQLite folder; three hosts per region; ` +
      `${inFlight} requests in flight; a claim is a PUT and a DELETE`,
  );
  for (const count of counts) {
    const database = `sqlite:${join(folder, String(count))}`;
    const fresh = await start(count, database);
    await stop(fresh);
    const again = await start(count, database);
    const idle = residentOf(again);
    const load = await loadsOf(again.origin, count);
    const cells = [
      `${String(count).padStart(3)} regions`,
      `new ${Math.round(fresh.ready)} ms`,
      `again ${Math.round(again.ready)} ms`,
      `idle ${idle}`,
      ...load,
      `then ${residentOf(again)}`,
    ];
    console.log(cells.join('   '));
    await stop(again);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
