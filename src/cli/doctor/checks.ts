// The checks of `cumulet doctor`: each finds one reason why a start, or a client, would fail.
import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { findEmulator, originAt } from '../../emulator/client.ts';
import { readWorld } from '../../emulator/worlds/read.ts';
import { withoutProxy } from '../../emulator/client-configuration/shells.ts';
import { commandName } from '../../kernel/command-line.ts';
import type { DatabaseUrl } from '../../kernel/db/database.ts';
import { lockFolder } from '../../kernel/db/folder-lock.ts';
import { checkServer } from '../../kernel/db/open.ts';
import { isLoopbackHost } from '../../kernel/http/loopback.ts';
import { redactUrl } from '../../kernel/redaction/texts.ts';
import { shownFile } from '../../kernel/user/shown-file.ts';
import { valuesOfFile } from '../../config-file.ts';
import { listenProblem } from '../../server.ts';
import { childCommand } from '../child.ts';
import { refusalOfNode } from '../node-version.ts';
import { holderOfPort } from './port-holder.ts';

/** What is checked: where an emulator would run, and with which variables clients would. */
export interface Subject {
  readonly host: string;
  readonly port: number;
  readonly tls?: boolean;
  readonly cacert?: string | undefined;
  readonly database: DatabaseUrl;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The result of a check. */
export interface Finding {
  readonly check: string;
  /** A problem stops the emulator or its clients; a warning may be intended. */
  readonly result: 'ok' | 'warning' | 'problem';
  readonly message: string;
  readonly fix?: string;
}

/** Runs all checks. */
export async function findingsOn(given: Subject): Promise<Finding[]> {
  const { cacert } = given;
  const url = originAt(given.host, given.port, given.tls);
  const running = await findEmulator(
    { url, ...(cacert === undefined ? {} : { cacert }) },
    patience,
  );
  const subject = running === undefined ? given : { ...given, tls: running.startsWith('https:') };
  const [port, state, ...found] = await Promise.all([
    checkPort(subject, running),
    checkState(subject, running !== undefined),
    ...clients.map(checkClient),
  ]);
  const node = checkNode(process.versions.node);
  return [node, port, state, ...found, ...checkVariables(subject), checkProxy(subject)];
}

/** Whether a version of Node.js is new enough. */
export function checkNode(version: string): Finding {
  const refusal = refusalOfNode(version);
  return refusal === undefined
    ? { check: 'node', result: 'ok', message: `Node.js ${version}` }
    : { check: 'node', result: 'problem', ...split(refusal) };
}

/**
 * Whether the configuration file can be used. Without it, the other checks are about the defaults.
 * @param read reads the options of the file and returns its path, or undefined if no file is used
 */
export function checkConfigFile(read: () => string | undefined): Finding {
  const check = 'config';
  try {
    const file = read();
    if (file === undefined)
      return { check, result: 'ok', message: 'No configuration file is used' };
    const { seed } = valuesOfFile(file, {});
    if (typeof seed === 'string' && /\.ya?ml$/i.test(seed)) readWorld(seed);
    return { check, result: 'ok', message: `The file ${shownFile(file)} can be used` };
  } catch (error) {
    return { check, result: 'problem', message: (error as Error).message };
  }
}

/** How long an emulator may take to answer, in milliseconds. */
const patience = 5_000;

async function checkPort({ host, port }: Subject, found: string | undefined): Promise<Finding> {
  const check = 'port';
  if (found !== undefined) return { check, result: 'ok', message: `An emulator runs at ${found}` };
  const error = await listenError(host, port);
  if (error === undefined)
    return { check, result: 'ok', message: `Port ${port} of ${host} is free` };
  const holder = error.code === 'EADDRINUSE' ? holderOfPort(port) : undefined;
  const { message, fix } = split(listenProblem(error, { host, port, flag: '--port' }));
  return {
    check,
    result: 'problem',
    message: holder === undefined ? message : `${message.replace(/\.$/, '')} by ${holder}.`,
    fix,
  };
}

/** The error of listening on a port; undefined if that works. */
function listenError(host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((done) => {
    const server = createServer();
    server.once('error', done);
    server.listen(port, host, () => server.close(() => done(undefined)));
  });
}

/** Whether the state can be kept where it is meant to be. */
async function checkState({ database, port }: Subject, answers: boolean): Promise<Finding> {
  const check = database.kind === 'sqlite' ? 'folder' : 'database';
  try {
    const message = await usableState(database);
    return { check, result: 'ok', message };
  } catch (error) {
    const problem = split((error as Error).message);
    const isOwn = answers && problem.message.includes(`port ${port},`);
    if (isOwn && problem.message.startsWith('Another emulator uses'))
      return { check, result: 'ok', message: 'The emulator that runs uses the folder' };
    return { check, result: 'problem', ...problem };
  }
}

/** What is known of a place for state that can be used. @throws Error with the next step */
async function usableState(database: DatabaseUrl): Promise<string> {
  if (database.kind === 'memory') return 'The state is kept in memory';
  if (database.kind === 'mysql') {
    await checkServer(database);
    return `The database ${redactUrl(database.url.href)} answers`;
  }
  const { folder } = database;
  let existing = resolve(folder);
  while (!existsSync(existing)) existing = dirname(existing);
  try {
    accessSync(existing, constants.W_OK | constants.X_OK);
  } catch {
    throw new Error(
      `${existing} is not a writable folder. Choose another folder with --database ` +
        'sqlite:<folder>, or change its owner or mode.',
    );
  }
  // Only a folder that an emulator has used can be locked: this check creates nothing.
  if (existsSync(join(folder, 'emulator.lock'))) lockFolder(database)?.release();
  return `The folder ${folder} ${existsSync(folder) ? 'is writable' : 'can be created'}`;
}

/** A program that people use with an emulator. */
interface Client {
  readonly check: string;
  readonly name: string;
  readonly command: readonly string[];
  readonly fix: string;
}

const clients: readonly Client[] = [
  {
    check: 'openstack',
    name: 'The command openstack',
    command: ['openstack', '--version'],
    fix: 'pip install python-openstackclient, or the package python3-openstackclient.',
  },
  {
    check: 'openstacksdk',
    name: 'openstacksdk for python3',
    command: ['python3', '-c', 'import openstack.version as v; print(v.__version__)'],
    fix: 'pip install openstacksdk, or the package python3-openstacksdk.',
  },
];

/** Whether a client is installed. Nobody needs all of them, so a missing one is a warning. */
async function checkClient({ check, name, command, fix }: Client): Promise<Finding> {
  const output = await outputOf(command);
  if (output === undefined)
    return { check, result: 'warning', message: `${name} was not found.`, fix };
  const [version = ''] = /\d+(?:\.\d+)+/.exec(output) ?? [];
  return { check, result: 'ok', message: `${name} ${version}`.trimEnd() };
}

/** What a command prints; undefined if it cannot be run, or fails. */
function outputOf(command: readonly string[]): Promise<string | undefined> {
  const { file, args, ...options } = childCommand(command);
  return new Promise((done) => {
    execFile(file, args, { ...options, encoding: 'utf8' }, (error, stdout, stderr) =>
      done(error ? undefined : `${stdout}${stderr}`),
    );
  });
}

/** Whether the variables of OpenStack clients lead to the emulator. */
export function checkVariables({ host, port, tls, env }: Subject): Finding[] {
  const origin = originAt(host, port, tls);
  const fix = `eval "$(${commandName()} env --url ${origin})"`;
  const cloud = env['OS_CLOUD'];
  const url = env['OS_AUTH_URL'] ?? env['OS_ENDPOINT'];
  const findings: Finding[] = [];
  if (cloud !== undefined && !/^cumulet(?:-|$)/.test(cloud))
    findings.push({
      check: 'variables',
      result: 'warning',
      message: `OS_CLOUD selects the cloud ${cloud}: clients ignore the other variables.`,
      fix: `unset OS_CLOUD, then ${fix}`,
    });
  if (url !== undefined && !isAt(url, origin))
    findings.push({
      check: 'variables',
      result: 'problem',
      message: `The OS_* variables lead clients to ${redactUrl(url)}, not to ${origin}.`,
      fix,
    });
  if (findings.length) return findings;
  const message =
    url === undefined ? 'No OS_* variable leads elsewhere' : `The OS_* variables lead to ${origin}`;
  return [{ check: 'variables', result: 'ok', message }];
}

/** Whether a URL is on the port of another one: names of this machine are interchangeable. */
function isAt(url: string, origin: string): boolean {
  if (!URL.canParse(url)) return false;
  const [one, other] = [new URL(url), new URL(origin)];
  const areLocal = isLoopbackHost(one.host) && isLoopbackHost(other.host);
  if (one.protocol !== other.protocol || one.port !== other.port) return false;
  return areLocal || one.hostname === other.hostname;
}

/** Whether clients reach an emulator on this machine without a proxy. */
export function checkProxy({ host, port, tls, env }: Subject): Finding {
  const check = 'proxy';
  const origin = originAt(host, port, tls);
  const proxy = ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'].find((name) => env[name]);
  if (proxy === undefined) return { check, result: 'ok', message: 'No proxy is set for HTTP' };
  const needed = withoutProxy(origin, env)['no_proxy'];
  const { hostname } = new URL(origin);
  const except = (env['no_proxy'] ?? env['NO_PROXY'] ?? '').split(',').map((one) => one.trim());
  if (needed === undefined || except.includes(hostname) || except.includes('*'))
    return { check, result: 'ok', message: `Clients reach ${origin} without the proxy` };
  return {
    check,
    result: 'problem',
    message: `${proxy} sends requests to ${origin} to a proxy: no_proxy does not list ${hostname}.`,
    fix: `export no_proxy='${needed}' NO_PROXY='${needed}'`,
  };
}

/** A message that ends with the next step, as two parts: its first sentence, and the rest. */
function split(text: string): { message: string; fix: string } {
  const [, message = text, fix = ''] = /^(.+?[.)]) ([A-Z][^]*)$/.exec(text) ?? [];
  return { message, fix };
}
