// What a start and a stop print: where the emulator is, what it keeps, and what to do next.
import { clientConfigOf } from '../emulator/client-configuration/sign-in.ts';
import { commandName } from '../kernel/command-line.ts';
import type { DatabaseUrl } from '../kernel/db/database.ts';
import { packageVersion } from '../kernel/package-root.ts';
import { kernelOptions } from '../kernel/settings.ts';
import { redactUrl } from '../kernel/redaction/texts.ts';
import { shownFile } from '../kernel/user/shown-file.ts';
import type { Addresses, Running } from '../server.ts';

/** What a greeting shows. Workers send it to the primary process. */
export interface Summary extends Addresses {
  /** The configuration file that was read, if any. */
  readonly configFile: string | undefined;
  readonly nativePorts: readonly { readonly path: string; readonly port: number }[];
  readonly isNew: boolean;
  readonly regions: readonly string[];
  /** How a user signs in, in a line. */
  readonly signIn: string;
}

/** The summary of a running cloud. */
export async function summaryOf({
  cloud,
  origin,
  cacert,
  servicePorts,
}: Running): Promise<Summary> {
  const regions = [...cloud.regions.values()];
  return {
    origin,
    cacert,
    configFile: cloud.config.configFile,
    servicePorts,
    nativePorts: [...cloud.ports.native].map(([path, port]) => ({ path, port })),
    isNew: cloud.isNew,
    regions: regions.map(({ name, isCentral }) => `${name}${isCentral ? ' (central)' : ''}`),
    signIn: await signInLine(cloud, origin),
  };
}

async function signInLine(cloud: Running['cloud'], origin: string): Promise<string> {
  const clientConfig = await clientConfigOf(cloud, origin);
  const { signIn } = clientConfig;
  if (signIn.kind === 'elsewhere') return `at ${signIn.keystone}`;
  const { controlToken } = cloud.config;
  const tokenHeader = controlToken ? '-H "X-Control-Token: $CUMULET_CONTROL_TOKEN" ' : '';
  const { cacert } = clientConfig;
  const curl = cacert === undefined ? 'curl' : `curl --cacert ${shellWord(cacert)}`;
  const command =
    process.platform === 'win32'
      ? `${commandName()} env${whereIs(origin)} | Out-String | Invoke-Expression`
      : `eval "$(${curl} -sS ${tokenHeader}${origin}/_emulator/openrc)"`;
  if (signIn.kind === 'none') return `${command}   or send X-Auth-Token: admin`;
  return signIn.passwords.admin === undefined
    ? `${command}   then set OS_PASSWORD: the password of admin is not known here`
    : command;
}

/** The text that a start prints. `stop` is how to stop the emulator. */
export function greeting(database: DatabaseUrl, summary: Summary, stop = 'Ctrl-C'): string {
  const { origin, cacert, configFile, isNew, regions, signIn } = summary;
  const lines: readonly (readonly [string, string])[] = [
    ['Version', packageVersion()],
    ...(configFile === undefined ? [] : ([['Config', shownFile(configFile)]] as const)),
    ['State', stateLine(database, isNew)],
    ['Regions', regions.join(', ')],
    ...portLines(summary),
    ...(cacert === undefined ? [] : ([['CA', cacert]] as const)),
    ['Sign in', signIn],
    ['Then', thenLine(origin)],
    ['Control', `${origin}/_emulator/   or ${commandName()} --help`],
    ['Stop', stop],
  ];
  const text = lines.map(([name, value]) => `  ${name.padEnd(9)}${value}\n`);
  return `Cumulet listens at ${origin}\n${text.join('')}`;
}

/** The ports of single services, in a line. */
function portLines({ servicePorts, nativePorts, regions }: Summary): [string, string][] {
  const own = servicePorts.map(({ service, origin }) => `${service} also at ${origin}`);
  const first = nativePorts.filter(({ path }) => path.lastIndexOf('/') === 0);
  const native = first.map(({ path, port }) => `${port} ${path.slice(1)}`);
  if (nativePorts.length > first.length && regions.length > 1)
    native.push('100 more for each further region');
  return own.length + native.length ? [['Ports', [...native, ...own].join(', ')]] : [];
}

/** A path as a word of a shell. */
const shellWord = (text: string): string =>
  /^[\w./:@+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** Three commands to go on with, for the emulator at this URL. */
function thenLine(origin: string): string {
  const commands = ['status', 'snapshot save <name>', 'reset'];
  return commands.map((one) => `${commandName()} ${one}${whereIs(origin)}`).join('   ');
}

/** The options with which a command finds the emulator at this URL; none for the usual one. */
function whereIs(origin: string): string {
  const { protocol, port, hostname } = new URL(origin);
  if (hostname !== kernelOptions.host.default) return ` --url ${origin}`;
  const tls = protocol === 'https:' ? ' --tls' : '';
  return Number(port) === kernelOptions.port.default ? tls : `${tls} --port ${port}`;
}

function stateLine(database: DatabaseUrl, isNew: boolean): string {
  if (database.kind === 'memory') return 'in memory, until this process ends';
  return `${placeOf(database)} (${isNew ? 'new' : 'used before'})`;
}

/** The text that a stop prints. */
export const farewell = (database: DatabaseUrl): string =>
  database.kind === 'memory'
    ? 'Cumulet has stopped. The cloud was in memory, and is gone.\n'
    : `Cumulet has stopped. The cloud is kept in ${placeOf(database)}: the next start continues ` +
      'with it.\n';

/** Where the state is, for people. */
export function placeOf(database: Exclude<DatabaseUrl, { kind: 'memory' }>): string {
  return database.kind === 'sqlite'
    ? `the folder ${database.folder}`
    : redactUrl(database.url.href);
}
