// Measures the compiled server: time from process start to readiness, and memory when idle (npm run
// bench:start).
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!;

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
} finally {
  rmSync(folder, { recursive: true, force: true });
}
