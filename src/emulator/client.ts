// The client of a running emulator: its address on the command line, and requests to its API.
import type { Command } from 'commander';
import { commanderOption, commandName } from '../kernel/command-line.ts';
import { kernelOptions } from '../kernel/settings.ts';
import { accessOptions } from './settings.ts';

/** How to reach a running emulator. */
export interface EmulatorAddress {
  readonly url: string;
  readonly controlToken?: string;
}

/** The options for an address, as commander parses them. */
export interface AddressOptions {
  readonly host: string;
  readonly port: number;
  readonly url?: string | undefined;
  readonly controlToken?: string;
}

/** The variable with the URL of the emulator, which `cumulet exec` sets for its command. */
export const urlVariable = 'CUMULET_URL';

/** Adds the options for the address of a running emulator, and for access to its API. */
export function withAddress(command: Command): Command {
  const { port, host } = kernelOptions;
  const { controlToken } = accessOptions;
  const tokenHelp = 'control token of the emulator, if it was started with one';
  // An address on the command line takes precedence over a URL in the environment.
  command.hook('preAction', (_, action) => {
    const isGiven = (name: string): boolean => action.getOptionValueSource(name) === 'cli';
    if (!isGiven('url') && (isGiven('port') || isGiven('host')))
      action.setOptionValue('url', undefined);
  });
  return command
    .addOption(commanderOption({ ...port, help: 'port of the emulator' }).helpGroup(addressGroup))
    .addOption(
      commanderOption({ ...host, help: 'address of the emulator' }).helpGroup(addressGroup),
    )
    .addOption(
      command
        .createOption('--url <url>', 'URL of the emulator; replaces --host and --port')
        .env(urlVariable)
        .helpGroup(addressGroup),
    )
    .addOption(commanderOption({ ...controlToken, help: tokenHelp }).helpGroup(addressGroup));
}

const addressGroup = 'Emulator:';

/** The options with the URL that they name. */
export const addressed = <T extends AddressOptions>(options: T): T & EmulatorAddress => ({
  ...options,
  url: options.url ?? originAt(options.host, options.port),
});

/**
 * The URL of a port for programs on this machine. A port on all addresses is reached by loopback.
 */
export function originAt(host: string, port: number): string {
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
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
  { url, controlToken }: EmulatorAddress,
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

/** Prints a line. */
export const print = (line: string): void => void process.stdout.write(`${line}\n`);
