// Runs a test suite: its files in parallel processes, which share one MySQL server. A file that
// hangs is ended.
import { fork, type ChildProcess } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { compileDocuments } from '../src/kernel/contract/documents.ts';
import { sharded, suites, type Suite } from './suites.ts';
import { mergeCoverage, reportCoverage } from './support/coverage.ts';
import { expectedSeconds, readDurations, writeDurations } from './support/durations.ts';
import { startMysql, type TestMysql } from './support/mysql.ts';
import { buildProgram } from './support/program.ts';
import { shards } from './support/shard.ts';
import type { Order, Outcome, Report } from './support/worker.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    everything: { type: 'boolean' },
    jobs: { type: 'string', default: String(Math.max(2, availableParallelism())) },
    grep: { type: 'string' },
    /** Minutes after which a test that neither starts nor ends counts as hanging. */
    patience: { type: 'string', default: '10' },
  },
});

const folder = new URL('./', import.meta.url);
const [suiteName = 'main', ...wanted] = positionals;
const suite = suiteOf(options.everything ? 'everything' : suiteName);

/** A file to run, or the part of it that is about one service. */
interface Task {
  /** Named from test/ on. */
  readonly file: string;
  readonly service?: string;
  /** The file, and the service if there is one. */
  readonly name: string;
}

function suiteOf(name: string): Suite {
  const found = suites[name];
  if (found) return found;
  console.error(`Unknown suite '${name}'. Suites: ${Object.keys(suites).join(', ')}.`);
  process.exit(1);
}

/**
 * The tasks of the suite, longest first, so that no processor waits for a long one at the end. If
 * files or folders are given, only theirs.
 */
function tasksOf({ has, limit = Infinity }: Suite): Task[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.test.ts') && (wanted.length ? isWanted(file) : has(file)),
  );
  const durations = readDurations();
  const seconds = ({ name, file }: Task): number => expectedSeconds(durations, name, file);
  const tasks = files.flatMap(tasksOfFile);
  const isSlow = ({ name }: Task): boolean => !wanted.length && (durations[name] ?? 0) > limit;
  const slow = tasks.filter(isSlow);
  if (slow.length)
    console.log(
      `Left out, because they took longer than ${limit} s the last time: ` +
        `${slow.map(({ name }) => name).join(', ')}.`,
    );
  return tasks
    .filter((task) => !isSlow(task))
    .toSorted((one, other) => seconds(other) - seconds(one) || (one.name < other.name ? -1 : 1));
}

const isWanted = (file: string): boolean =>
  wanted.some((one) => `test/${file}`.startsWith(one.replace(/^\.\//, '')));

const tasksOfFile = (file: string): Task[] =>
  sharded(file)
    ? shards.map((service) => ({ file, service, name: `${file} ${service}` }))
    : [{ file, name: file }];

interface Done extends Outcome {
  readonly name: string;
  readonly seconds: number;
}

/** Runs the tasks of the queue in one process at a time; one that ends or hangs is replaced. */
async function work(queue: Task[], done: (one: Done, output: string) => void): Promise<void> {
  let child: ChildProcess | undefined;
  for (let task = queue.shift(); task !== undefined; task = queue.shift()) {
    child ??= startWorker();
    const started = performance.now();
    const { outcome, output, alive } = await runTask(child, task);
    if (!alive) child = undefined;
    const seconds = (performance.now() - started) / 1000;
    done({ name: task.name, ...outcome, seconds }, output);
  }
  if (child) await endWorker(child);
}

function startWorker(): ChildProcess {
  // A process group of its own, so that killing a hanging process ends the emulators that it has
  // started too.
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
    // It has already ended.
  }
}

interface Ran {
  readonly outcome: Outcome;
  readonly output: string;
  readonly alive: boolean;
}

function runTask(child: ChildProcess, { file, service }: Task): Promise<Ran> {
  return new Promise((resolve) => {
    let output = '';
    let current = 'its first test';
    let timer: NodeJS.Timeout;
    const finish = (outcome: Outcome, alive: boolean): void => {
      clearTimeout(timer);
      child.off('message', hear);
      child.off('exit', ended);
      resolve({ outcome, output, alive });
    };
    const restartTimer = (): void => {
      clearTimeout(timer);
      timer = setTimeout(
        () => {
          output += `  killed: "${current}" hangs (no progress for ${options.patience} minutes)\n`;
          finish({ passed: 0, failed: 1, pending: 0 }, false);
          killGroup(child);
        },
        Number(options.patience) * 60_000,
      );
    };
    const hear = (report: Report): void => {
      restartTimer();
      if ('at' in report) current = report.at;
      if ('said' in report) output += report.said;
      if ('done' in report) finish(report.done, true);
    };
    const ended = (code: number | null): void => {
      output += `  the process exited with ${code} in "${current}"\n`;
      finish({ passed: 0, failed: 1, pending: 0 }, false);
    };
    child.on('message', hear);
    child.once('exit', ended);
    restartTimer();
    child.send({ file, service, grep: options.grep } satisfies Order);
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

/** Starts one server for all processes, each of which creates its own databases on it. */
async function openMysql(): Promise<TestMysql | undefined> {
  const server = suite.mysql ? await startMysql() : undefined;
  process.env['CUMULET_TEST_DATABASE'] = server ? addressOf(server) : 'none';
  if (server) console.log(`On SQLite and ${server.version}.`);
  else if (suite.mysql) console.log('On SQLite only: MySQL and MariaDB are not installed.');
  else console.log('On SQLite.');
  return server;
}

/** The address of the server: its socket if this run has started it, which is faster than TCP. */
function addressOf({ url, socket }: TestMysql): string {
  const address = new URL(url);
  if (socket !== undefined) address.searchParams.set('socketPath', socket);
  return address.href;
}

async function main(): Promise<number> {
  const started = performance.now();
  process.env['CUMULET_TEST_SAMPLED'] = suite.sampled ? 'yes' : 'no';
  compileDocuments();
  buildProgram();
  const server = await openMysql();
  const tasks = tasksOf(suite);
  const total = { passed: 0, failed: 0, pending: 0 };
  const durations: Record<string, number> = {};
  const failures: string[] = [];
  const report = ({ name, passed, failed, pending, seconds }: Done, output: string): void => {
    total.passed += passed;
    total.failed += failed;
    total.pending += pending;
    if (!failed && options.grep === undefined) durations[name] = seconds;
    const counts = [
      `${passed} passed`,
      ...(failed ? [`${failed} FAILED`] : []),
      ...(pending ? [`${pending} pending`] : []),
    ];
    const line = `${failed ? '✘' : '✔'} test/${name}: ${counts.join(', ')} (${seconds.toFixed(1)} s)`;
    const text = [line, ...(output.trim() ? [output.trimEnd()] : [])].join('\n');
    console.log(text);
    if (failed) failures.push(text);
  };
  const queue = [...tasks];
  await Promise.all(
    Array.from({ length: Math.min(Number(options.jobs), tasks.length) }, () => work(queue, report)),
  );
  await server?.stop();
  writeDurations(durations);
  if (!wanted.length && options.grep === undefined && suite.has('contract/every-microversion/'))
    reportCoverage();
  // Once more at the end, where nobody has to search for them among all files.
  if (failures.length && tasks.length > 1) console.log(`Failed:\n${failures.join('\n')}`);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  const files = new Set(tasks.map(({ file }) => file)).size;
  console.log(
    `${files} files in ${seconds} s${total.pending ? `, ${total.pending} tests pending` : ''}`,
  );
  console.log(`${total.passed} passed, ${total.failed} failed`);
  return total.failed || !total.passed ? 1 : 0;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
process.exitCode = await main();
