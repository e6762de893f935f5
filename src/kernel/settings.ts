// The configuration of a cloud, and the options that the kernel itself declares.
import { resolve } from 'node:path';
import { SECOND, type Micros } from './clock.ts';
import type { DatabaseUrl } from './db/database.ts';
import { parseDatabaseUrl } from './db/open.ts';
import { isLoopback } from './http/loopback.ts';
import {
  choiceOption,
  InvalidOptionError,
  isOn,
  listOf,
  option,
  parseDuration,
  pathOption,
  textOption,
  wholeNumber,
  type OptionValues,
} from './options.ts';
import { isSecure, tlsOptions } from './tls/settings.ts';
import { shownFile } from './user/shown-file.ts';

/** The password of the users admin and demo in a new cloud, unless an option sets another. */
export const defaultPassword = 'secret';

/** A port that serves a single service of the first region, at the root of its paths. */
export interface Listen {
  readonly service: string;
  /** The address; undefined for that of the main port. */
  readonly host: string | undefined;
  readonly port: number;
}

const server = 'Server';
const cloud = 'Cloud';
const access = 'Access';

/** The options of the kernel, in the order of the help. */
export const kernelOptions = {
  /** The configuration file that was read; undefined if none was. */
  configFile: textOption({
    flag: '--config <file>',
    group: server,
    help: 'file with options and a world',
    defaultText: 'the closest cumulet.yaml',
  }),
  port: option({
    flag: '--port <number>',
    group: server,
    help: 'port to listen on; 0 picks a free port and prints it',
    default: 6060,
    parse: (text) => portNumber(text),
  }),
  host: option({
    flag: '--host <address>',
    group: server,
    help: 'address to listen on; an address that other machines reach needs --admin-password',
    default: '127.0.0.1',
    parse: (text) => text,
  }),
  listen: option<readonly Listen[]>({
    flag: '--listen <service=[host:]port>',
    group: server,
    help: 'also serve one service of the first region at the root of its own port (repeatable)',
    default: [],
    parse: (text, previous = []) => [...previous, ...listOf(text).map(parseListen)],
  }),
  // Commander takes undefined for the flag without a value, so "off" is false.
  nativePorts: option<number | false>({
    flag: '--native-ports [offset]',
    group: server,
    help:
      "also serve each service at upstream's port, such as 5000 for Identity, plus the offset, and " +
      '100 more for each further region; the catalog has these ports',
    default: false,
    parse(text) {
      if (text === 'true') return 0;
      if (text !== '0' && !isOn(text)) return false;
      return wholeNumber(text, 0, 40_000, 'Use an offset from 0 to 40000, or off.');
    },
  }),
  workers: option({
    flag: '--workers <number>',
    group: server,
    help: 'number of processes that serve the port; more than one needs MySQL',
    default: 1,
    parse: (text) => wholeNumber(text, 1, 99, 'Use a number from 1 to 99.'),
  }),
  corsOrigin: option<readonly string[]>({
    flag: '--cors-origin <origins>',
    group: server,
    help: 'origins whose web pages may call the APIs, comma-separated, or * for all (repeatable)',
    default: [],
    parse: (text, previous = []) => [...previous, ...listOf(text)],
  }),
  logLevel: choiceOption({
    flag: '--log-level <level>',
    group: server,
    help: 'least severe messages to log; info logs one line for each request',
    choices: ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
    default: 'info',
  }),
  logFormat: choiceOption({
    flag: '--log-format <format>',
    group: server,
    help: 'format of the log: short lines, lines of JSON, or auto for text on a terminal only',
    choices: ['auto', 'text', 'json'],
    default: 'auto',
  }),
  catchUpWait: option({
    flag: '--catch-up-wait <duration>',
    group: server,
    help:
      'how long a request waits for the jobs that have become due, such as after a move of the ' +
      'clock; then it gets 503',
    default: 30 * SECOND,
    defaultText: '30s',
    parse: parseDuration,
  }),
  ...tlsOptions,
  database: option<DatabaseUrl>({
    flag: '--database <url>',
    group: cloud,
    help:
      'where to keep the state: sqlite:<folder>, memory: or ' +
      'mysql://user:password@host:port/name',
    default: { kind: 'sqlite', folder: '.cumulet' },
    defaultText: 'sqlite:.cumulet',
    parse: parseDatabaseUrl,
    within(text, folder) {
      const database = parseDatabaseUrl(text);
      if (database.kind !== 'sqlite') return text;
      return `sqlite:${shownFile(resolve(folder, database.folder))}`;
    },
  }),
  /**
   * The regions that the cloud has at least: those that the database already has are opened too.
   */
  regions: option<readonly string[]>({
    flag: '--regions <names>',
    group: cloud,
    help:
      'regions to create unless they exist, comma-separated; paths without a region lead to ' +
      'the first that is not central',
    default: [],
    defaultText: 'the regions of the database, or RegionOne for a new one',
    parse: parseRegions,
  }),
  /** The region that manages the others; without a region of this name, there is none. */
  centralRegion: option({
    flag: '--central-region <name>',
    group: cloud,
    help: 'name of the central region, which manages the others',
    default: 'CentralRegion',
    defaultText: 'CentralRegion',
    parse: (text) => text,
  }),
  /** How long operations take, by names such as `server.create`. Others take no time. */
  latency: option<Readonly<Record<string, Micros>>>({
    flag: '--latency <operation=duration>',
    group: cloud,
    help:
      'how long an operation takes by the clock of the emulator, such as server.create=5s ' +
      '(repeatable)',
    default: {},
    parse: (text, previous = {}) => ({
      ...previous,
      ...Object.fromEntries(listOf(text).map(parseLatency)),
    }),
  }),
  auth: choiceOption({
    flag: '--auth <strategy>',
    group: access,
    help: 'how clients authenticate: with tokens of Keystone, or as any user they name',
    choices: ['keystone', 'noauth2'],
    default: 'keystone',
  }),
  adminPassword: option({
    flag: '--admin-password <password>',
    group: access,
    help: 'password of the users admin and demo in a new cloud',
    default: defaultPassword,
    parse: (text) => text,
  }),
  policyDir: pathOption({
    flag: '--policy-dir <folder>',
    group: access,
    help: 'folder with a policy file for each service, such as compute.yaml',
  }),
};

/**
 * The configuration of a cloud: one field for each option. Services and features of the emulator
 * add the fields of the options that they declare.
 */
export interface Config extends OptionValues<typeof kernelOptions> {}

/** The URL of an address and a port, as written. */
export const configuredOrigin = (config: Config): string =>
  `${isSecure(config) ? 'https' : 'http'}://${config.host}:${config.port}`;

/**
 * The number of connection pools that a cloud has in all its processes: each process has one for
 * the central database and one for each region.
 */
export const poolsOf = ({ workers, regions }: Config): number => workers * (1 + regions.length);

/** The addresses to listen on that other machines can reach. */
export const openHosts = ({ host, listen }: Config): string[] =>
  [host, ...listen.map((one) => one.host ?? host)].filter((address) => !isLoopback(address));

const portNumber = (text: string): number =>
  wholeNumber(text, 0, 65_535, 'Use a port from 0 to 65535.');

function parseListen(text: string): Listen {
  const match = /^([a-z]+)=(?:(.+):)?(\d{1,5})$/.exec(text);
  if (!match)
    throw new InvalidOptionError('Use SERVICE=PORT or SERVICE=HOST:PORT, such as placement=8778.');
  return { service: match[1]!, host: match[2], port: portNumber(match[3]!) };
}

function parseRegions(text: string): readonly string[] {
  const names = listOf(text);
  if (!names.length)
    throw new InvalidOptionError('Name at least one region, such as RegionOne,RegionTwo.');
  return names;
}

function parseLatency(text: string): [string, Micros] {
  const match = /^([a-z][\w.-]*)=(\d+(?:\.\d+)?)(ms|s|m|h)?$/i.exec(text);
  if (!match) throw new InvalidOptionError('Use OPERATION=DURATION, such as server.create=5s.');
  return [match[1]!, parseDuration(`${match[2]!}${match[3] ?? 's'}`)];
}
