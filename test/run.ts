// Runs a suite of the tests: its files in parallel, on one MySQL server, and none of them for ever.
import { fork, type ChildProcess } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { compileDocuments } from '../src/kernel/contract/documents.ts';
import { longest, suites, type Suite } from './suites.ts';
import { mergeCoverage, reportCoverage } from './support/coverage.ts';
import { startMysql, type TestMysql } from './support/mysql.ts';
import type { Order, Outcome, Report } from './support/worker.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    everything: { type: 'boolean' },
    jobs: { type: 'string', default: String(Math.max(2, availableParallelism())) },
    grep: { type: 'string' },
    /** Minutes in which a test must begin or end, on however busy a machine. */
    patience: { type: 'string', default: '10' },
  },
});

const folder = new URL('./', import.meta.url);
const [suiteName = 'main', ...wanted] = positionals;
const suite: Suite = suites[options.everything ? 'everything' : suiteName]!;

/** The files of the suite, longest first; of those, where files or folders are given, only they. */
function filesOf({ has }: Suite): string[] {
  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.test.ts'),
  );
  const chosen = wanted.length
    ? all.filter((file) =>
        wanted.some((one) => `test/${file}`.startsWith(one.replace(/^\.\//, ''))),
      )
    : all.filter((file) => has(file));
  const rank = (file: string): number =>
    longest.includes(file) ? longest.indexOf(file) : longest.length;
  return chosen.toSorted((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1));
}

interface Done extends Outcome {
  readonly file: string;
  readonly seconds: number;
}

/**
 * Runs one file after the other in a process, until none is left; a process that ends or hangs is
 * replaced.
 */
async function work(queue: string[], done: (one: Done, said: string) => void): Promise<void> {
  let child: ChildProcess | undefined;
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    child ??= startWorker();
    const started = performance.now();
    const { outcome, said, alive } = await runFile(child, file);
    if (!alive) child = undefined;
    done({ file, ...outcome, seconds: (performance.now() - started) / 1000 }, said);
  }
  if (child) await endWorker(child);
}

function startWorker(): ChildProcess {
  // A group of its own, so that a process that hangs ends together with the emulators that it has
  // started.
  const child = fork(fileURLToPath(new URL('support/worker.ts', folder)), {
    execArgv: ['--import', 'tsx'],
    detached: true,
  });
  const kill = (): void => killGroup(child);
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  return child;
}

function killGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-pid!, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

interface Ran {
  readonly outcome: Outcome;
  readonly said: string;
  readonly alive: boolean;
}

function runFile(child: ChildProcess, file: string): Promise<Ran> {
  return new Promise((resolve) => {
    let said = '';
    let at = 'its first test';
    let watch: NodeJS.Timeout;
    const finish = (outcome: Outcome, alive: boolean): void => {
      clearTimeout(watch);
      child.off('message', hear);
      child.off('exit', ended);
      resolve({ outcome, said, alive });
    };
    const wait = (): void => {
      clearTimeout(watch);
      watch = setTimeout(
        () => {
          said += `  hangs, and was ended: nothing happened for ${options.patience} minutes in "${at}"\n`;
          finish({ passed: 0, failed: 1, pending: 0 }, false);
          killGroup(child);
        },
        Number(options.patience) * 60_000,
      );
    };
    const hear = (report: Report): void => {
      wait();
      if ('at' in report) at = report.at;
      if ('said' in report) said += report.said;
      if ('done' in report) finish(report.done, true);
    };
    const ended = (code: number | null): void => {
      said += `  the process ended with ${code} in "${at}"\n`;
      finish({ passed: 0, failed: 1, pending: 0 }, false);
    };
    child.on('message', hear);
    child.once('exit', ended);
    wait();
    child.send({ file, grep: options.grep } satisfies Order);
  });
}

async function endWorker(child: ChildProcess): Promise<void> {
  child.on('message', (report: Report) => {
    if ('covered' in report) mergeCoverage(report.covered);
  });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.send({ end: true } satisfies Order);
  await gone;
}

/** One server for all processes, which make databases of their own on it. */
async function openMysql(): Promise<TestMysql | undefined> {
  const server = suite.mysql ? await startMysql() : undefined;
  process.env['CUMULET_TEST_DATABASE'] = server ? addressOf(server) : 'none';
  if (server) console.log(`On SQLite and on ${server.version}.`);
  else
    console.log(
      suite.mysql ? 'On SQLite only: neither MySQL nor MariaDB is installed.' : 'On SQLite.',
    );
  return server;
}

/** Through its socket, where it is ours: that is quicker than its port. */
function addressOf({ url, socket }: TestMysql): string {
  const address = new URL(url);
  if (socket !== undefined) address.searchParams.set('socketPath', socket);
  return address.href;
}

async function main(): Promise<number> {
  const started = performance.now();
  compileDocuments();
  const server = await openMysql();
  const files = filesOf(suite);
  const total = { passed: 0, failed: 0, pending: 0 };
  const tell = ({ file, passed, failed, pending, seconds }: Done, said: string): void => {
    total.passed += passed;
    total.failed += failed;
    total.pending += pending;
    const counts = [
      `${passed} passed`,
      ...(failed ? [`${failed} FAILED`] : []),
      ...(pending ? [`${pending} pending`] : []),
    ];
    console.log(
      `${failed ? '✘' : '✔'} test/${file}: ${counts.join(', ')} (${seconds.toFixed(1)} s)`,
    );
    if (said.trim()) console.log(said.trimEnd());
  };
  const queue = [...files];
  await Promise.all(
    Array.from({ length: Math.min(Number(options.jobs), files.length) }, () => work(queue, tell)),
  );
  await server?.stop();
  if (!wanted.length && options.grep === undefined && suite.has('contract/every-microversion/'))
    total.failed += reportCoverage();
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(
    `${files.length} files in ${seconds} s${total.pending ? `, ${total.pending} tests pending` : ''}`,
  );
  console.log(`${total.passed} passed, ${total.failed} failed`);
  return total.failed || !total.passed ? 1 : 0;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
process.exitCode = await main();
