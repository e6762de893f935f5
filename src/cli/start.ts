// The command `cumulet start`: runs an emulator, or several processes of one, until a signal.
import { readFileSync } from 'node:fs';
import { Help, Option, type Command } from 'commander';
import { configFrom } from '../config.ts';
import { ineffectiveOptions } from '../emulator/initial-options/warnings.ts';
import { pauseUnref } from '../kernel/clock.ts';
import { latencyNames } from '../kernel/latency.ts';
import { showingProgress } from '../kernel/user/progress.ts';
import { sendRequest } from '../kernel/http-client.ts';
import type { Cloud } from '../kernel/model.ts';
import type { Config } from '../kernel/settings.ts';
import { run } from '../server.ts';
import { serviceDefinitions } from '../services/index.ts';
import { reportReady, startDetached } from './detached/start.ts';
import { withServerOptions } from './server-options.ts';
import { withCommand } from './words.ts';
import { farewell, greeting, summaryOf, type Summary } from './greeting.ts';
import {
  endWorker,
  isFirstWorker,
  isWorker,
  reportListening,
  superviseWorkers,
} from './workers.ts';

/** Adds `cumulet start`. */
export function addStartCommand(program: Command): Command {
  const command = program.command('start').description('start the emulator (the default)');
  const latencies = (): string =>
    new Help().boxWrap(
      `Operations of --latency: ${latencyNames(serviceDefinitions).join(', ')}.`,
      80,
    );
  return withServerOptions(command)
    .addOption(
      new Option('--detach', 'run in the background: return when the emulator is ready').helpGroup(
        'Server:',
      ),
    )
    .addOption(new Option('--no-detach', 'run in the foreground').hideHelp())
    .addHelpText('after', () => `\n${latencies()}`)
    .action(async (options: Record<string, unknown>) => {
      const config = configFrom(options);
      if (options['detach']) await startDetached(config, withCommand(process.argv.slice(2)));
      else await start(config);
    });
}

/** Runs until SIGINT or SIGTERM. */
async function start(config: Config): Promise<void> {
  const { database } = config;
  // The emulator goes on if nobody reads its output any more, as in `cumulet start | head -3`.
  process.stdout.on('error', () => {});
  const greet = (summary: Summary): void => {
    process.stdout.write(greeting(database, summary));
    reportReady(summary);
  };
  if (isWorker()) await serve(config, reportListening);
  else if (config.workers > 1) await superviseWorkers(config, greet, untilStopped());
  else await serve(config, greet);
  if (isWorker()) endWorker();
  else process.stdout.write(farewell(database));
}

async function serve(config: Config, greet: (summary: Summary) => void): Promise<void> {
  const opening = run(config);
  const running = isWorker() ? await opening : await showingProgress('Starting', opening);
  if (isFirstWorker()) await logWarnings(running.cloud);
  // Listen for signals before printing the greeting: a client may send one as soon as it reads it.
  const stopped = untilStopped();
  greet(await summaryOf(running));
  await stopped;
  await running.stop();
}

/** How long the Keystone of another cloud may take to reply at a start, in milliseconds. */
const keystoneTimeout = 2_000;

/** Warns about options without effect, and about a Keystone that does not reply (yet). */
async function logWarnings(cloud: Cloud): Promise<void> {
  const { config, log } = cloud;
  for (const warning of await ineffectiveOptions(cloud)) log.warn(warning);
  const { keystone } = config;
  if (keystone === undefined) return;
  const reply = await sendRequest(keystone, { timeout: keystoneTimeout }).catch(() => undefined);
  if (!reply?.isOk)
    log.warn(
      `The Keystone at ${keystone} does not answer. Requests get 503 until it does: start it, or ` +
        'correct --keystone.',
    );
}

/**
 * Resolves at SIGINT or SIGTERM. Under npm it also resolves when npm has ended, because npm may end
 * without passing a signal on.
 */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
    if (process.env['npm_lifecycle_event'] !== undefined && !isWorker())
      void untilOrphaned().then(resolve);
  });
}

/** How often a process checks whether its parent still runs, in milliseconds. */
const parentCheckInterval = 500;

/** npm runs a script in a shell, which outlives npm if npm is killed. */
async function untilOrphaned(): Promise<void> {
  const shell = process.ppid;
  const npm = parentOf(shell);
  while (process.ppid === shell && parentOf(shell) === npm) await pauseUnref(parentCheckInterval);
}

/** The parent of a process on Linux; undefined elsewhere, where shells replace themselves. */
export function parentOf(pid: number): number | undefined {
  try {
    const [, parent] = /\) \w (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return parent === undefined ? undefined : Number(parent);
  } catch {
    return undefined;
  }
}
