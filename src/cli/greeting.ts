// What a start and a stop print: where the emulator is, what it keeps, and what to do next.
import { clientConfigOf } from '../emulator/client-configuration/sign-in.ts';
import { commandName } from '../kernel/command-line.ts';
import type { DatabaseUrl } from '../kernel/db/database.ts';
import { packageVersion } from '../kernel/package-root.ts';
import { redactUrl } from '../kernel/redaction/texts.ts';
import type { Addresses, Running } from './server.ts';

/** What a greeting shows. Workers send it to the primary process. */
export interface Summary extends Addresses {
  readonly isNew: boolean;
  readonly regions: readonly string[];
  /** How a user signs in, in a line. */
  readonly signIn: string;
}

/** The summary of a running cloud. */
export async function summaryOf({ cloud, origin, servicePorts }: Running): Promise<Summary> {
  const regions = [...cloud.regions.values()];
  return {
    origin,
    servicePorts,
    isNew: cloud.isNew,
    regions: regions.map(({ name, isCentral }) => `${name}${isCentral ? ' (central)' : ''}`),
    signIn: await signInLine(cloud, origin),
  };
}

async function signInLine(cloud: Running['cloud'], origin: string): Promise<string> {
  const { signIn } = await clientConfigOf(cloud, origin);
  if (signIn.kind === 'elsewhere') return `at ${signIn.keystone}`;
  const { controlToken } = cloud.config;
  const tokenHeader = controlToken ? '-H "X-Control-Token: $CUMULET_CONTROL_TOKEN" ' : '';
  const command =
    process.platform === 'win32'
      ? `${commandName()} env | Out-String | Invoke-Expression`
      : `eval "$(curl -sS ${tokenHeader}${origin}/_emulator/openrc)"`;
  if (signIn.kind === 'none') return `${command}   or send X-Auth-Token: admin`;
  return signIn.passwords.admin === undefined
    ? `${command}   then set OS_PASSWORD: the password of admin is not known here`
    : command;
}

/** The text that a start prints. */
export function greeting(database: DatabaseUrl, summary: Summary): string {
  const { origin, servicePorts, isNew, regions, signIn } = summary;
  const lines: readonly (readonly [string, string])[] = [
    ['Version', packageVersion()],
    ['State', stateLine(database, isNew)],
    ['Regions', regions.join(', ')],
    ...servicePorts.map((one) => ['Port', `${one.service} also at ${one.origin}`] as const),
    ['Sign in', signIn],
    ['Control', `${origin}/_emulator/   or ${commandName()} --help`],
    ['Stop', 'Ctrl-C'],
  ];
  const text = lines.map(([name, value]) => `  ${name.padEnd(9)}${value}\n`);
  return `Cumulet listens at ${origin}\n${text.join('')}`;
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
function placeOf(database: Exclude<DatabaseUrl, { kind: 'memory' }>): string {
  return database.kind === 'sqlite'
    ? `the folder ${database.folder}`
    : redactUrl(database.url.href);
}
