// The commands: start servers, and talk to a running one.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientEnvironment, cloudsYaml } from '../emulator/client-configuration/clients.ts';
import { closeCloud, openCloud } from '../cloud.ts';
import { pause, pauseUnref } from '../kernel/clock.ts';
import type { FaultPlan } from '../emulator/fault-injection/store.ts';
import { serverFor } from '../kernel/http/server.ts';
import type { ServiceDefinition, Cloud } from '../kernel/model.ts';
import { regionNames } from '../kernel/regions.ts';
import { serviceDefinitions } from '../services/index.ts';
import {
  endWorker,
  isWorker,
  reportListening,
  superviseWorkers,
  type Addresses,
  type Alone,
} from './workers.ts';
import type { Config } from '../kernel/settings.ts';

/** A running cloud and its addresses. */
export interface Running extends Addresses {
  readonly cloud: Cloud;
  /** Waits for the requests in flight, then closes the cloud. */
  stop(): Promise<void>;
}

/**
 * Opens a cloud and listens on all its ports.
 * @throws Error with the next step where a port cannot be had
 */
export async function run(config: Config): Promise<Running> {
  const cloud = await openCloud(config);
  const servers: Server[] = [];
  try {
    const main = serverFor({ cloud });
    servers.push(main);
    const port = await listen(main, config.port, config.host, '--port');
    const alone: Alone[] = [];
    for (const one of config.listen) {
      const only = cloud.services.find(
        ({ definition }) => definition.name === one.service || definition.type === one.service,
      );
      if (!only)
        throw new Error(
          `--listen ${one.service}: there is no such service. Services: ${cloud.services.map(({ definition }) => definition.name).join(', ')}.`,
        );
      const server = serverFor({ cloud, only });
      servers.push(server);
      const host = one.host ?? config.host;
      alone.push({
        service: one.service,
        origin: originAt(host, await listen(server, one.port, host, '--listen')),
      });
    }
    return { cloud, origin: originAt(config.host, port), alone, stop: () => stop(cloud, servers) };
  } catch (error) {
    await stop(cloud, servers);
    throw error;
  }
}

/**
 * The URL of a port for programs on this machine. A port on all addresses is reached by loopback.
 */
export function originAt(host: string, port: number): string {
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
}

function listen(server: Server, port: number, host: string, flag: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const next =
        error.code === 'EADDRINUSE'
          ? `Port ${port} is taken. Choose another with ${flag}${flag === '--port' ? ', or 0 for any that is free' : ''}.`
          : error.message;
      reject(new Error(next));
    });
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

/** How long a stop waits for requests in flight, in milliseconds. */
const patience = 10_000;

async function stop(cloud: Cloud, servers: readonly Server[]): Promise<void> {
  const open = servers.filter((server) => server.listening);
  let listening = open.length;
  for (const server of open) server.close(() => listening--);
  // A kept-alive connection becomes idle only after its last response. A request that never ends is
  // cut off after a while.
  for (let waited = 0; listening; waited += 10) {
    for (const server of open)
      if (waited < patience) server.closeIdleConnections();
      else server.closeAllConnections();
    await pause(10);
  }
  await closeCloud(cloud);
}

/** Runs until SIGINT or SIGTERM. */
export async function start(config: Config): Promise<void> {
  if (config.workers > 1 && !isWorker())
    return superviseWorkers(
      config,
      (addresses) => void process.stdout.write(greeting(config, addresses)),
      untilToldToStop(),
    );
  const running = await run(config);
  // A signal may come as soon as the greeting is printed.
  const told = untilToldToStop();
  const { origin, alone } = running;
  if (isWorker()) reportListening({ origin, alone });
  else process.stdout.write(greeting(config, running));
  await told;
  await running.stop();
  endWorker();
}

/**
 * Resolves at SIGINT or SIGTERM, and where npm, which had started this process, has ended without a
 * word.
 */
function untilToldToStop(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
    if (process.env['npm_lifecycle_event'] !== undefined && !isWorker())
      void untilOrphaned().then(resolve);
  });
}

/** How often a process looks whether its parent is still there, in milliseconds. */
const parentEvery = 500;

async function untilOrphaned(): Promise<void> {
  const parent = process.ppid;
  while (process.ppid === parent) await pauseUnref(parentEvery);
}

function greeting(config: Config, { origin, alone }: Addresses): string {
  const listens = alone.map((one) => `  ${one.service} also at ${one.origin}\n`);
  const isHere = (definition: ServiceDefinition): boolean =>
    definition.type !== undefined &&
    (definition.regions !== 'central' ||
      (definition.database === 'central' && config.regions.includes(config.centralRegion)));
  const names = serviceDefinitions
    .filter(isHere)
    .map((definition) => `  ${definition.description.padEnd(15)}${origin}${definition.prefix}\n`);
  const signIn =
    config.auth === 'noauth2'
      ? `Callers sign in with X-Auth-Token: admin (or USER:PROJECT).\n`
      : `Sign in:   eval "$(curl -s ${origin}/_emulator/openrc)"\nThen try:  openstack resource provider list\n`;
  return `Cumulet listens at ${origin}\n${names.join('')}${listens.join('')}${signIn}`;
}

/**
 * Starts an emulator, runs a command with what it needs to reach it, and ends with its exit code.
 */
export async function exec(config: Config, command: readonly string[]): Promise<void> {
  const running = await run(config);
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-'));
  try {
    const client = {
      origin: running.origin,
      regions: regionNames(running.cloud),
      password: config.adminPassword,
    };
    const file = join(folder, 'clouds.yaml');
    writeFileSync(file, cloudsYaml(client), { mode: 0o600 });
    const variables = {
      ...clientEnvironment(client),
      OS_CLIENT_CONFIG_FILE: file,
      CUMULET_URL: running.origin,
    };
    process.exitCode = await runChild(command, variables);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await running.stop();
  }
}

function runChild(
  [file = '', ...args]: readonly string[],
  variables: Record<string, string>,
): Promise<number> {
  // OS_* variables for another cloud would interfere.
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('OS_'));
  const child = spawn(file, args, {
    stdio: 'inherit',
    env: { ...Object.fromEntries(inherited), ...variables },
  });
  const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, pass);
  return new Promise((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new Error(
          error.code === 'ENOENT' ? `'${file}' is not installed, or not on PATH.` : error.message,
        ),
      ),
    );
    child.once('exit', (code, signal) =>
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)),
    );
  });
}

/** Prints the variables for the emulator that listens at `url`. */
export function env(config: Config, url: string): void {
  const { adminPassword, centralRegion } = config;
  const regions = config.regions.filter((name) => name !== centralRegion);
  const variables = clientEnvironment({
    origin: url.replace(/\/$/, ''),
    regions,
    password: adminPassword,
  });
  for (const [name, value] of Object.entries(variables))
    process.stdout.write(`export ${name}='${value.replaceAll("'", `'\\''`)}'\n`);
}

/** Where a running emulator is, and what opens it. */
export interface Reach {
  /** Where it listens. */
  readonly url: string;
  readonly controlToken?: string;
}

/** What `reset` resets: all, a region, a service. */
export interface ResetOptions extends Reach {
  readonly region?: string;
  readonly service?: string;
}

/**
 * Resets a running emulator.
 * @throws Error with the next step where it cannot be reached, or refuses
 */
export async function reset({ region, service, ...reach }: ResetOptions): Promise<void> {
  await control(reach, 'POST', '/reset', { region, service });
}

/** Prints the regions of a running emulator, one a line. @throws Error as `reset` */
export async function listRegions(reach: Reach): Promise<void> {
  const { regions } = (await control(reach, 'GET', '/regions')) as {
    regions: { name: string; central: boolean }[];
  };
  for (const { name, central } of regions)
    process.stdout.write(`${name}${central ? ' (central)' : ''}\n`);
}

/** Adds a region to a running emulator; with `from` a copy of that one. @throws Error as `reset` */
export async function addRegion(
  name: string,
  { from, ...reach }: Reach & { from?: string },
): Promise<void> {
  await control(reach, 'POST', '/regions', { name, from });
}

/** Drops a region of a running emulator. @throws Error as `reset` */
export async function dropRegion(name: string, reach: Reach): Promise<void> {
  await control(reach, 'DELETE', `/regions/${encodeURIComponent(name)}`);
}

/** A rule by which requests fail, as the emulator shows it. */
interface ShownFault extends FaultPlan {
  readonly id: number;
  readonly matched: number;
  readonly hit: number;
  readonly spent: boolean;
}

/**
 * Adds a rule by which requests to a running emulator fail, and prints its id.
 * @throws Error as `reset`
 */
export async function addFault(plan: FaultPlan, reach: Reach): Promise<void> {
  const { fault } = (await control(reach, 'POST', '/faults', plan)) as { fault: ShownFault };
  process.stdout.write(`${fault.id}\n`);
}

/** Prints the rules by which requests fail, one a line. @throws Error as `reset` */
export async function listFaults(reach: Reach): Promise<void> {
  const { faults } = (await control(reach, 'GET', '/faults')) as { faults: ShownFault[] };
  for (const { id, match, effect, count, matched, hit, spent } of faults) {
    const counts = `matched ${matched}, hit ${hit}${count === undefined ? '' : ` of ${count}`}${spent ? ', spent' : ''}`;
    process.stdout.write(
      `${id}  ${JSON.stringify(match)} -> ${JSON.stringify(effect)}  ${counts}\n`,
    );
  }
}

/** Takes a rule away, or all where none is named. @throws Error as `reset` */
export async function clearFaults(id: string | undefined, reach: Reach): Promise<void> {
  await control(
    reach,
    'DELETE',
    id === undefined ? '/faults' : `/faults/${encodeURIComponent(id)}`,
  );
}

/**
 * Asks a running emulator's own service.
 * @throws Error with the next step where it cannot be reached, or refuses
 */
export async function control(
  reach: Reach,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const request = body
    ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    : {};
  const response = await asked(reach, path, { method, ...request });
  return response.status === 204 ? undefined : response.json();
}

/** The same, with any body, and the answer as it comes. */
export async function asked(
  { url, controlToken }: Reach,
  path: string,
  request: RequestInit,
): Promise<Response> {
  const token = controlToken ? { 'x-control-token': controlToken } : undefined;
  const headers = { ...(request.headers as Record<string, string> | undefined), ...token };
  const response = await fetch(`${url.replace(/\/$/, '')}/_emulator${path}`, {
    ...request,
    headers,
  }).catch(() => {
    throw new Error(
      `Nothing answers at ${url}. Start the emulator with 'cumulet start', or say where it listens with --port or --url.`,
    );
  });
  if (response.ok) return response;
  const told = (await response.json().catch(() => undefined)) as
    { error?: { message?: string } } | undefined;
  throw new Error(
    told?.error?.message ??
      `What answers at ${url} is no emulator: ${response.status} ${response.statusText}.`,
  );
}
