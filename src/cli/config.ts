// Flags and environment become one frozen object.
import { Command, InvalidArgumentError, Option } from 'commander';
import { SECOND, type Micros } from '../kernel/clock.ts';
import { parseDatabaseUrl } from '../kernel/db/open.ts';
import { isLoopback } from '../kernel/http/loopback.ts';
import { badRegionName } from '../kernel/regions.ts';
import { profiles } from '../services/tricircle/profiles.ts';
import {
  defaultPassword,
  generationStrategies,
  logLevels,
  type Config,
  type Listen,
} from '../kernel/settings.ts';

/** How long deleted servers are kept: longer than a usage report asks for. */
const defaultKept = 90 * 86_400 * SECOND;

/** The configuration of a cloud for a test, or of one that is started without flags. */
export function configOf(fields: Partial<Config> = {}): Config {
  return Object.freeze({
    host: '127.0.0.1',
    port: 6060,
    database: { kind: 'sqlite', folder: '.cumulet' } as const,
    regions: [],
    centralRegion: 'CentralRegion',
    pods: [],
    auth: 'keystone',
    keystone: undefined,
    policyDir: undefined,
    corsOrigin: [],
    listen: [],
    adminPassword: defaultPassword,
    seed: undefined,
    // Without Keystone a service is usually tested by itself, in an empty region.
    hosts: fields.auth === 'noauth2' ? '0' : '3',
    controlToken: undefined,
    logLevel: 'info',
    journal: undefined,
    workers: 1,
    latency: {},
    keepDeleted: defaultKept,
    volumeCapacity: undefined,
    maxAllocationCandidates: -1,
    allocationCandidatesGenerationStrategy: 'depth-first',
    ...fields,
  });
}

/** The defaults that differ between commands which start a server. */
export interface ServerDefaults {
  readonly port: number;
  readonly database: string;
  readonly logLevel: string;
  readonly journal?: number;
}

const startDefaults: ServerDefaults = { port: 6060, database: 'sqlite:.cumulet', logLevel: 'info' };

/** Adds the flags of a server to a command. Each may also come from the environment. */
export function withServerFlags(command: Command, defaults = startDefaults): Command {
  const list = (value: string, before: readonly string[] | undefined): string[] => [
    ...(before ?? []),
    ...value.split(/[\s,]+/).filter(Boolean),
  ];
  return withAddressFlags(command, defaults.port)
    .addOption(databaseOption(defaults.database))
    .addOption(regionsOption())
    .addOption(centralRegionOption())
    .addOption(
      new Option('--profile <name>', 'regions and pods to start with')
        .env('CUMULET_PROFILE')
        .choices(Object.keys(profiles)),
    )
    .addOption(
      new Option('--auth <strategy>', 'how callers sign in')
        .env('CUMULET_AUTH')
        .choices(['keystone', 'noauth2'])
        .default('keystone'),
    )
    .addOption(
      new Option(
        '--keystone <url>',
        "take the tokens of another cloud's Keystone, as one of its pods: http://host:6060/identity/v3",
      )
        .env('CUMULET_KEYSTONE')
        .argParser(keystoneUrl),
    )
    .addOption(
      new Option('--policy-dir <folder>', 'folder of policy files, <service>.yaml each').env(
        'CUMULET_POLICY_DIR',
      ),
    )
    .addOption(
      new Option(
        '--cors-origin <origins>',
        'origins that browsers may call from, comma-separated, or *',
      )
        .env('CUMULET_CORS_ORIGIN')
        .argParser(list),
    )
    .addOption(
      new Option(
        '--listen <service=[host:]port>',
        'serve one service of the first region at the root of its own port as well (repeatable)',
      )
        .env('CUMULET_LISTEN')
        .argParser((value: string, before: readonly Listen[] | undefined) => [
          ...(before ?? []),
          ...value
            .split(/[\s,]+/)
            .filter(Boolean)
            .map(parseListen),
        ]),
    )
    .addOption(passwordOption())
    .addOption(
      new Option(
        '--hosts <number|file>',
        'hosts of a new region: how many, or a YAML file that describes them (default: 3; with --auth noauth2 none)',
      ).env('CUMULET_HOSTS'),
    )
    .addOption(
      new Option(
        '--seed <file>',
        "what a new cloud, and each reset of everything, starts from: a file of 'cumulet export' (default: users, flavors, an image, hosts)",
      ).env('CUMULET_SEED'),
    )
    .addOption(controlTokenOption())
    .addOption(journalOption(defaults.journal))
    .addOption(
      new Option('--workers <number>', 'processes on the port, sharing one MySQL')
        .env('CUMULET_WORKERS')
        .default(1)
        .argParser(workerCount),
    )
    .addOption(
      new Option(
        '--latency <what=time>',
        'how long something takes, such as server.create=5s or server.resize=500ms (repeatable)',
      )
        .env('CUMULET_LATENCY')
        .argParser((value: string, before: Config['latency'] | undefined) => ({
          ...before,
          ...Object.fromEntries(
            value
              .split(/[\s,]+/)
              .filter(Boolean)
              .map(parseLatency),
          ),
        })),
    )
    .addOption(
      new Option(
        '--keep-deleted <time>',
        'how long deleted servers are kept for the record, such as 12h (default: 90d)',
      )
        .env('CUMULET_KEEP_DELETED')
        .argParser(parseDuration),
    )
    .addOption(
      new Option(
        '--volume-capacity <GiB>',
        'how much the volumes of a region may hold together (default: no end)',
      )
        .env('CUMULET_VOLUME_CAPACITY')
        .argParser(gibibytes),
    )
    .addOption(
      new Option(
        '--max-allocation-candidates <number>',
        'allocation candidates that one request gets at most; -1 for all',
      )
        .env('CUMULET_MAX_ALLOCATION_CANDIDATES')
        .default(-1)
        .argParser(candidateCount),
    )
    .addOption(
      new Option(
        '--allocation-candidates-generation-strategy <strategy>',
        'the order of allocation candidates: all of one tree, then of the next; or one of each tree, then another of each',
      )
        .env('CUMULET_ALLOCATION_CANDIDATES_GENERATION_STRATEGY')
        .choices([...generationStrategies])
        .default('depth-first'),
    )
    .addOption(
      new Option('--log-level <level>', 'one line a request at info')
        .env('CUMULET_LOG_LEVEL')
        .choices([...logLevels])
        .default(defaults.logLevel),
    );
}

/** Adds the flags that say where an emulator listens. */
export function withAddressFlags(command: Command, port = startDefaults.port): Command {
  return command
    .addOption(
      new Option('--port <number>', 'port to listen on; 0 picks a free one and prints it')
        .env('CUMULET_PORT')
        .default(port)
        .argParser(portNumber),
    )
    .addOption(
      new Option('--host <address>', 'address to listen on')
        .env('CUMULET_HOST')
        .default('127.0.0.1'),
    );
}

/** The flags of a server that commands for a running one have too. */
export const regionsOption = (): Option =>
  new Option(
    '--regions <names>',
    'regions, comma-separated; the first that is not central is mounted without its name (default: those that the database has, or RegionOne)',
  ).env('CUMULET_REGIONS');
export const centralRegionOption = (): Option =>
  new Option(
    '--central-region <name>',
    'the region with Tricircle and its gateway (default: one called CentralRegion)',
  ).env('CUMULET_CENTRAL_REGION');
export const passwordOption = (): Option =>
  new Option('--admin-password <password>', 'password of the users admin and demo in a new cloud')
    .env('CUMULET_ADMIN_PASSWORD')
    .default(defaultPassword);
export const controlTokenOption = (): Option =>
  new Option(
    '--control-token <token>',
    'opens /_emulator to other machines, with this in X-Control-Token',
  ).env('CUMULET_CONTROL_TOKEN');

/** How many requests the journal keeps at most. */
export const mostKept = 20_000;

function journalOption(byDefault: number | undefined): Option {
  const option = new Option(
    '--journal <number>',
    'keep a journal of so many requests, for cumulet requests; 0 for none',
  )
    .env('CUMULET_JOURNAL')
    .argParser(journalLength);
  return byDefault === undefined ? option : option.default(byDefault);
}

function databaseOption(byDefault: string): Option {
  return new Option(
    '--database <url>',
    'sqlite:<folder>, memory: or mysql://user:password@host:port/name',
  )
    .env('CUMULET_DATABASE')
    .default(byDefault);
}

/**
 * Checks the options that commander has parsed.
 * @throws Error with the next step for a combination that cannot work
 */
export function configFrom(options: Record<string, unknown>): Config {
  const { database, profile, ...rest } = options;
  const config = configOf({
    ...defined(rest),
    ...(profile === undefined ? regionsFrom(rest) : profileFrom(String(profile), rest)),
    database: parseDatabaseUrl(String(database ?? 'sqlite:.cumulet')),
  } as Partial<Config>);
  if (!config.adminPassword)
    throw new Error(
      'An empty password protects nothing: --admin-password <password> or CUMULET_ADMIN_PASSWORD.',
    );
  guardHosts(config);
  return config;
}

type Regions = Pick<Config, 'regions' | 'centralRegion'>;

/** @throws Error for names that cannot be */
function regionsFrom({ regions: text, centralRegion }: Record<string, unknown>): Regions {
  const given =
    text === undefined
      ? []
      : String(text)
          .split(/[\s,]+/)
          .filter(Boolean);
  if (text !== undefined && !given.length) throw new Error(badRegionName(''));
  const central = centralRegion === undefined ? undefined : String(centralRegion);
  const regions =
    central === undefined || given.includes(central)
      ? given
      : [central, ...(given.length ? given : ['RegionOne'])];
  const bad = regions.map(badRegionName).find(Boolean);
  if (bad !== undefined) throw new Error(bad);
  if (new Set(regions.map((name) => name.toLowerCase())).size < regions.length)
    throw new Error('Two regions have the same name. Give each its own.');
  return { regions, centralRegion: central ?? configOf().centralRegion };
}

/** @throws Error where regions are named beside a profile, which has its own */
function profileFrom(
  name: string,
  { regions, centralRegion }: Record<string, unknown>,
): Regions & Pick<Config, 'pods'> {
  if (regions !== undefined || centralRegion !== undefined)
    throw new Error(
      `The profile ${name} has regions of its own. Leave --regions and --central-region out.`,
    );
  const pods = profiles[name]!;
  return { regions: pods.map(({ region }) => region), centralRegion: pods[0]!.region, pods };
}

/** The addresses to listen on that other machines reach. */
export const openHosts = ({ host, listen }: Config): string[] =>
  [host, ...listen.map((one) => one.host ?? host)].filter((address) => !isLoopback(address));

/** Refuses to listen beyond this machine with the default password, or without passwords. */
function guardHosts(config: Config): void {
  const open = openHosts(config);
  if (!open.length) return;
  if (config.auth === 'noauth2')
    throw new Error(
      `--auth noauth2 takes anyone for admin, so it listens on this machine only. Leave --host ${open[0]} out, or --auth noauth2.`,
    );
  if (config.adminPassword === defaultPassword) {
    throw new Error(
      `Listening on ${open[0]} needs a password of your own: --admin-password <password> or CUMULET_ADMIN_PASSWORD.`,
    );
  }
}

function portNumber(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65535)
    throw new InvalidArgumentError('A port is a number from 0 to 65535.');
  return Number(text);
}

function keystoneUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || !/\/v3\/?$/.test(url.pathname))
    throw new InvalidArgumentError(
      'Use the URL of a Keystone v3, such as http://127.0.0.1:6060/identity/v3.',
    );
  return text.replace(/\/$/, '');
}

function workerCount(text: string): number {
  if (!/^[1-9]\d?$/.test(text))
    throw new InvalidArgumentError('Workers are a number from 1 to 99.');
  return Number(text);
}

function candidateCount(text: string): number {
  if (text !== '-1' && !/^[1-9]\d{0,8}$/.test(text))
    throw new InvalidArgumentError('Candidates are a number from 1, or -1 for all.');
  return Number(text);
}

/** @throws InvalidArgumentError */
export function journalLength(text: string): number {
  if (!/^\d{1,6}$/.test(text) || Number(text) > mostKept)
    throw new InvalidArgumentError(`A number of requests from 0 to ${mostKept} is expected.`);
  return Number(text);
}

function gibibytes(text: string): number {
  if (!/^\d{1,9}$/.test(text))
    throw new InvalidArgumentError('A number of GiB is expected, such as 100.');
  return Number(text);
}

function parseListen(text: string): Listen {
  const match = /^([a-z]+)=(?:(.+):)?(\d{1,5})$/.exec(text);
  if (!match)
    throw new InvalidArgumentError(
      'Use SERVICE=PORT or SERVICE=HOST:PORT, such as placement=8778.',
    );
  return { service: match[1]!, host: match[2], port: portNumber(match[3]!) };
}

const units: Readonly<Record<string, number>> = {
  ms: SECOND / 1000,
  s: SECOND,
  m: 60 * SECOND,
  h: 3600 * SECOND,
  d: 86_400 * SECOND,
};

/** A time in microseconds, such as 500ms or 12h. @throws InvalidArgumentError */
export function parseDuration(text: string): Micros {
  const match = /^(\d{1,9}(?:\.\d{1,6})?)(ms|s|m|h|d)$/.exec(text);
  if (!match) throw new InvalidArgumentError('Use a number and ms, s, m, h or d, such as 12h.');
  return Math.round(Number(match[1]) * units[match[2]!]!);
}

function parseLatency(text: string): [string, Micros] {
  const match = /^([a-z][\w.-]*)=(\d+(?:\.\d+)?)(ms|s|m|h)?$/i.exec(text);
  if (!match) throw new InvalidArgumentError('Use WHAT=TIME, such as server.create=5s.');
  return [match[1]!, Math.round(Number(match[2]) * units[match[3]?.toLowerCase() ?? 's']!)];
}

function defined(options: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
