// The client of a running emulator: its address on the command line, and requests to its API.
import { Option, type Command } from 'commander';
import { commanderOption, commandName } from '../kernel/command-line.ts';
import { plainHttpRefusal } from '../kernel/http/plain-http.ts';
import { environmentVariable } from '../kernel/options.ts';
import { kernelOptions } from '../kernel/settings.ts';
import { showingProgress } from '../kernel/user/progress.ts';
import { trustingFetch } from '../kernel/tls/fetch.ts';
import { tlsOptions } from '../kernel/tls/settings.ts';
import { accessOptions } from './settings.ts';

/** How to reach a running emulator. */
export interface EmulatorAddress {
  readonly url: string;
  readonly controlToken?: string;
  /** The file with the authority of its certificate. */
  readonly cacert?: string;
  /** What a terminal shows while a request takes longer; by default, that it waits. */
  readonly progress?: string;
}

/** The options for an address, as commander parses them. */
export interface AddressOptions {
  readonly host: string;
  readonly port: number;
  readonly url?: string | undefined;
  readonly controlToken?: string;
  readonly tls?: boolean;
  readonly cacert?: string;
}

/** The variable with the URL of the emulator, which `cumulet exec` sets for its command. */
export const urlVariable = 'CUMULET_URL';

/** The variable with the authority of the certificate, which OpenStack clients read too. */
export const authorityVariable = 'OS_CACERT';

/** Adds the options that name the configuration file of a command. */
export const withConfigFile = (command: Command): Command =>
  command
    .addOption(commanderOption(kernelOptions.configFile).helpGroup(addressGroup))
    .addOption(noConfigOption());

/** The option for a command that reads no configuration file. */
export const noConfigOption = (): Option =>
  new Option('--no-config', 'read no such file').hideHelp();

/** Adds the options for the address of a running emulator, and for access to its API. */
export function withAddress(command: Command): Command {
  const { port, host } = kernelOptions;
  const { controlToken } = accessOptions;
  const tokenHelp = 'control token of the emulator, if it was started with one';
  // An address on the command line takes precedence over a URL in the environment.
  command.hook('preAction', (_, action) => {
    const isGiven = (name: string): boolean => action.getOptionValueSource(name) === 'cli';
    if (!isGiven('url') && (isGiven('port') || isGiven('host') || isGiven('tls')))
      action.setOptionValue('url', undefined);
  });
  return withConfigFile(command)
    .addOption(commanderOption({ ...port, help: 'port of the emulator' }).helpGroup(addressGroup))
    .addOption(
      commanderOption({ ...host, help: 'address of the emulator' }).helpGroup(addressGroup),
    )
    .addOption(
      commanderOption({ ...tlsOptions.tls, help: 'reach the emulator by HTTPS' }).helpGroup(
        addressGroup,
      ),
    )
    .addOption(
      command
        .createOption(
          '--cacert <file>',
          'authority of its certificate, in PEM (default: that of --tls in .cumulet or of this user)',
        )
        .env(authorityVariable)
        .helpGroup(addressGroup),
    )
    .addOption(
      command
        .createOption('--url <url>', 'URL of the emulator; replaces --host, --port and --tls')
        .env(urlVariable)
        .helpGroup(addressGroup),
    )
    .addOption(commanderOption({ ...controlToken, help: tokenHelp }).helpGroup(addressGroup));
}

const addressGroup = 'Emulator:';

/** The options with the URL that they name. */
export const addressed = <T extends AddressOptions>(options: T): T & EmulatorAddress => ({
  ...options,
  url: options.url ?? originAt(options.host, options.port, options.tls),
});

/**
 * The URL of a port for programs on this machine. A port on all addresses is reached by loopback.
 */
export function originAt(host: string, port: number, secure = false): string {
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `${secure ? 'https' : 'http'}://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
}

/**
 * Sends a request with a JSON body to the API of a running emulator.
 * @returns the JSON of the reply; undefined if it has none
 * @throws Error with the next step if the emulator does not answer, or refuses the request
 */
export async function callEmulator(
  address: EmulatorAddress,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const request = body
    ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    : {};
  const response = await fetchFromEmulator(address, path, { method, ...request });
  return response.status === 204 ? undefined : response.json();
}

/** Sends a request with any body, and returns the response unread. @throws as `callEmulator` */
export async function fetchFromEmulator(
  { url, controlToken, cacert, progress = `Waiting for ${url}` }: EmulatorAddress,
  path: string,
  request: RequestInit,
): Promise<Response> {
  const token = controlToken ? { 'x-control-token': controlToken } : undefined;
  const headers = { ...(request.headers as Record<string, string> | undefined), ...token };
  const sent = trustingFetch(
    `${url.replace(/\/$/, '')}/_emulator${path}`,
    { ...request, headers },
    cacert,
  );
  const response = await showingProgress(progress, sent).catch((error: unknown) => {
    if (!(error instanceof TypeError)) throw error;
    const refusal = refusalOfCertificate(url, error.cause);
    if (refusal !== undefined) throw new Error(refusal);
    throw new Error(
      `No emulator answers at ${url}. Start one with '${commandName()} start', or give its ` +
        'address with --port or --url.',
    );
  });
  if (response.ok) return response;
  const reply = (await response.json().catch(() => undefined)) as
    { error?: { message?: string } } | undefined;
  throw new Error(
    reply?.error?.message ??
      `The server at ${url} is not a Cumulet emulator: it returns ${response.status} ` +
        `${response.statusText}. Give the address of the emulator with --port or --url.`,
  );
}

/** Why the certificate of a server was refused; undefined if that is not what failed. */
function refusalOfCertificate(url: string, cause: unknown): string | undefined {
  const { code = '', message = '' } = (cause ?? {}) as { code?: string; message?: string };
  if (!/CERT|SIGNATURE|ERR_TLS/.test(code)) return undefined;
  return (
    `The certificate of ${url} is not trusted (${message}). Name the file with its authority, ` +
    'ca.pem in the folder tls of its state, in --cacert or OS_CACERT.'
  );
}

/** What the refusal of a request without the control token names. */
const controlVariable = environmentVariable(accessOptions.controlToken);

/** How many bytes of a reply are enough to recognize an emulator. */
const enough = 1000;

/**
 * Looks for an emulator at an address, also for one that serves HTTPS where HTTP is meant.
 * @param timeout how long it may take to answer, in milliseconds
 * @returns its URL; undefined if none answers
 */
export async function findEmulator(
  address: EmulatorAddress,
  timeout: number,
): Promise<string | undefined> {
  const { url, controlToken, cacert } = address;
  const origin = url.replace(/\/$/, '');
  try {
    const signal = AbortSignal.timeout(timeout);
    const headers = controlToken ? { 'x-control-token': controlToken } : {};
    const request = { headers, signal };
    const response = await trustingFetch(`${origin}/_emulator/health`, request, cacert);
    const text = await beginningOf(response);
    const needsToken = response.status === 403 && text.includes(controlVariable);
    if (needsToken || (response.ok && text.includes('"status"'))) return url;
    if (!text.includes(plainHttpRefusal) || !url.startsWith('http:')) return undefined;
  } catch {
    return undefined;
  }
  return findEmulator({ ...address, url: url.replace('http:', 'https:') }, timeout);
}

/** Reads the beginning of a reply, and closes the connection if there is more. */
async function beginningOf({ body }: Response): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length >= enough) break;
  }
  return text;
}

/** The option of commands that print something a script may read. */
export const withJson = (command: Command): Command => command.option('--json', 'print JSON');

/** The option of `withJson`. */
export interface JsonOption {
  readonly json?: boolean;
}

/** Prints a value as JSON. */
export const printJson = (value: unknown): void => print(JSON.stringify(value, undefined, 2));

/** The query of a request with those of the values that are defined; empty without any. */
export function queryOf(values: object): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values) as [string, unknown][])
    if (value !== undefined) query.set(name, String(value));
  return query.size ? `?${query.toString()}` : '';
}

/** Prints a line. */
export const print = (line: string): void => void process.stdout.write(`${line}\n`);
