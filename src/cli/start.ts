// The command `cumulet start`: runs an emulator, or several processes of one, until a signal.
import { Help, type Command } from 'commander';
import { pauseUnref } from '../kernel/clock.ts';
import { latencyNames } from '../kernel/latency.ts';
import type { ServiceDefinition } from '../kernel/model.ts';
import type { Config } from '../kernel/settings.ts';
import { serviceDefinitions } from '../services/index.ts';
import { configFrom, withServerOptions } from './config.ts';
import { run, type Addresses } from './server.ts';
import { endWorker, isWorker, reportListening, superviseWorkers } from './workers.ts';

/** Adds `cumulet start`. */
export function addStartCommand(program: Command): Command {
  const command = program.command('start').description('start the emulator (the default)');
  const latencies = (): string =>
    new Help().boxWrap(
      `Operations of --latency: ${latencyNames(serviceDefinitions).join(', ')}.`,
      80,
    );
  return withServerOptions(command)
    .addHelpText('after', () => `\n${latencies()}`)
    .action((options: Record<string, unknown>) => start(configFrom(options)));
}

/** Runs until SIGINT or SIGTERM. */
async function start(config: Config): Promise<void> {
  if (config.workers > 1 && !isWorker())
    return superviseWorkers(
      config,
      (addresses) => void process.stdout.write(greeting(config, addresses)),
      untilStopped(),
    );
  const running = await run(config);
  // Listen for signals before printing the greeting: a client may send one as soon as it reads it.
  const stopped = untilStopped();
  const { origin, servicePorts } = running;
  if (isWorker()) reportListening({ origin, servicePorts });
  else process.stdout.write(greeting(config, running));
  await stopped;
  await running.stop();
  endWorker();
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

async function untilOrphaned(): Promise<void> {
  const parent = process.ppid;
  while (process.ppid === parent) await pauseUnref(parentCheckInterval);
}

function greeting(config: Config, { origin, servicePorts }: Addresses): string {
  const hasCentral = config.regions.includes(config.centralRegion);
  const isServed = ({ type, regions, database }: ServiceDefinition): boolean =>
    type !== undefined && (regions !== 'central' || (database === 'central' && hasCentral));
  const services = serviceDefinitions
    .filter(isServed)
    .map(({ description, prefix }) => `  ${description.padEnd(15)}${origin}${prefix}\n`);
  const ports = servicePorts.map((one) => `  ${one.service} also at ${one.origin}\n`);
  const next =
    config.auth === 'noauth2'
      ? 'To authenticate, send X-Auth-Token: admin (or USER:PROJECT).\n'
      : `Sign in:   eval "$(curl -s ${origin}/_emulator/openrc)"\nThen try:  openstack ` +
        'resource provider list\n';
  return `Cumulet listens at ${origin}\n${services.join('')}${ports.join('')}${next}`;
}
