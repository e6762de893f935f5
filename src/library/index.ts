// The package `cumulet` for programs: starts clouds in the same process, and connects to others.
import { openConnection, type Cloud } from './cloud.ts';
import { Connection } from './connection.ts';
import { CumuletError } from './errors.ts';
import type { Time } from './parts.ts';
import type { ServerOptions } from './server-options.ts';

export type { Cloud } from './cloud.ts';
export type * from './capacity.ts';
export type * from './contract.ts';
export type * from './oidc-users.ts';
export type * from './parts.ts';
export type * from './projects.ts';
export type * from './saml-providers.ts';
export type { ServerOptions } from './server-options.ts';
export { CumuletError, RequestAssertionError } from './errors.ts';

/** The options of `startCloud()`: those of the command line, and a few of its own. */
export interface StartOptions extends ServerOptions {
  /**
   * Freezes the clock at this time, at the start and after each reset of the whole cloud. Without
   * it, the clock shows the machine's time.
   */
  readonly clock?: Time;
  /** The least severe messages to log on standard error. Default: silent. */
  readonly log?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
}

/** The options of `connectCloud()`. */
export interface ConnectOptions {
  /** The token of `--control-token`. Default: the variable `CUMULET_CONTROL_TOKEN`. */
  readonly controlToken?: string;
  /**
   * The file with the authority of its certificate, for an emulator with `--tls`. Default: the
   * variable `OS_CACERT`, or the authority that emulators of this user have made.
   */
  readonly cacert?: string;
}

/**
 * Starts a cloud in this process: in memory and on a free port, unless options say otherwise. It
 * reads the closest `cumulet.yaml`, or the file that the option `config` or the variable
 * `CUMULET_CONFIG` names, but no other variables, and it handles no signals. Clouds of one process
 * share nothing.
 */
export async function startCloud(options: StartOptions = {}): Promise<Cloud> {
  const { clock, log = 'silent', ...server } = options;
  const { startEmulator } = await import('./start.ts');
  const { origin, cacert, stop, cloud } = await startEmulator(server, log);
  const connection = new Connection(origin, cloud.config.controlToken, cacert);
  try {
    return await openConnection({ connection, frozenAt: clock, stop });
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Connects to a running emulator, so that a test is the same with a cloud of its own and with one
 * in a container.
 * @param url its address; by default `CUMULET_URL`, which `cumulet exec` sets for its command
 */
export function connectCloud(url?: string, options: ConnectOptions = {}): Promise<Cloud> {
  const { CUMULET_URL: address, CUMULET_CONTROL_TOKEN: token, OS_CACERT: authority } = process.env;
  const origin = url ?? address;
  if (origin === undefined)
    return Promise.reject(
      new CumuletError(
        'connectCloud() needs the address of an emulator, such as http://127.0.0.1:6060, as its ' +
          'argument or in CUMULET_URL.',
      ),
    );
  const connection = new Connection(
    origin,
    options.controlToken ?? token,
    options.cacert ?? authority,
  );
  return openConnection({ connection });
}
