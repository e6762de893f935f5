// Measures the compiled server: time from process start to readiness, and memory when idle; and how
// long a program takes to import the library and to start clouds (npm run bench:start).
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { median } from './statistics.ts';

interface Start {
  /** Milliseconds from spawn to the first reply of /_emulator/ready. */
  readonly ready: number;
  /** Resident megabytes one second later; undefined without /proc. */
  readonly resident: number | undefined;
}

const rounds = 7;
const main = join(import.meta.dirname, '..', 'dist', 'main.js');

async function start(database: string): Promise<Start> {
  const began = performance.now();
  const child = spawn(
    process.execPath,
    [main, 'start', '--port', '0', '--database', database, '--log-level', 'warn'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const origin = await new Promise<string>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      const found = /listens at (\S+)/.exec(chunk.toString());
      if (found) resolve(found[1]!);
    });
  });
  await fetch(`${origin}/_emulator/ready`);
  const ready = performance.now() - began;
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const resident = residentOf(child.pid!);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
  return { ready, resident };
}

function residentOf(pid: number): number | undefined {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
  } catch {
    return undefined;
  }
}

async function measure(title: string, database: () => string): Promise<void> {
  const starts: Start[] = [];
  for (let round = 0; round < rounds; round++) starts.push(await start(database()));
  const times = starts.map(({ ready }) => ready);
  const resident = starts.flatMap((one) => one.resident ?? []);
  const figures = [median(times), Math.min(...times), Math.max(...times)]
    .map((value) => `${Math.round(value)} ms`)
    .join(', ');
  console.log(
    `${title.padEnd(44)} ${figures}   ` +
      `resident ${resident.length ? `${Math.round(median(resident))} MB` : 'unknown'}`,
  );
}

const library = pathToFileURL(join(import.meta.dirname, '..', 'dist', 'index.js')).href;

/** A program that starts two clouds, and prints for each step its time and CPU time in ms. */
const program = `
const steps = [];
const measure = async (step) => {
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  const result = await step();
  const { user, system } = process.cpuUsage(cpu);
  steps.push([performance.now() - began, (user + system) / 1000]);
  return result;
};
const { startCloud } = await measure(() => import('${library}'));
const first = await measure(() => startCloud());
const second = await measure(() => startCloud());
await first.stop();
await second.stop();
console.log(JSON.stringify(steps));
`;

/** The steps of the program. */
const steps = ['import', 'first startCloud()', 'second startCloud()'];

function measureLibrary(): void {
  const runs = Array.from({ length: rounds }, () => {
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', program]);
    return JSON.parse(output.toString()) as [time: number, cpu: number][];
  });
  for (const [index, step] of steps.entries()) {
    const times = runs.map((run) => run[index]![0]);
    const cpu = Math.round(median(runs.map((run) => run[index]![1])));
    const figures = [median(times), Math.min(...times), Math.max(...times)]
      .map((one) => `${Math.round(one)} ms`)
      .join(', ');
    console.log(`${`library: ${step}`.padEnd(44)} ${figures}   CPU time ${cpu} ms`);
  }
}

const folder = mkdtempSync(join(tmpdir(), 'cumulet-bench-'));
try {
  console.log(`Node ${process.version}; median, least, most of ${rounds} starts`);
  await measure(
    'migrations and bootstrap (SQLite folder)',
    () => `sqlite:${mkdtempSync(join(folder, 'new-'))}`,
  );
  await start(`sqlite:${join(folder, 'kept')}`);
  await measure('existing SQLite folder', () => `sqlite:${join(folder, 'kept')}`);
  await measure('in memory', () => 'memory:');
  measureLibrary();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
