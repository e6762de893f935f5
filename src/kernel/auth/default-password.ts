// The default password is public, so whoever reaches a cloud in which it works is an administrator.
// What counts is the password that is stored: the options only set that of a new cloud.
import type { Db } from '../db/database.ts';
import { conflict, type ApiError } from '../errors.ts';
import type { Cloud, DefaultPasswordUsers } from '../model.ts';
import { openHosts, type Config } from '../settings.ts';

/** Looks again when a user may have changed. */
export class DefaultPasswordCheck implements DefaultPasswordUsers {
  readonly find: DefaultPasswordUsers['find'];
  private known:
    { readonly revision: number; readonly users: Promise<readonly string[]> } | undefined;

  constructor(find: DefaultPasswordUsers['find']) {
    this.find = find;
  }

  /**
   * The users that have it now. Every write of a user increments the auth revision, also if another
   * process makes it, and so do imports, restores and resets.
   */
  async current({ sharedState, central }: CheckedCloud): Promise<readonly string[]> {
    const { authRevision: revision } = await sharedState.read();
    if (this.known?.revision === revision) return this.known.users;
    const users = this.find(central.db);
    const known = { revision, users };
    this.known = known;
    try {
      return await users;
    } catch (error) {
      if (this.known === known) this.known = undefined;
      throw error;
    }
  }

  /**
   * Starts the check that the greeting of a start waits for. Argon2 runs in another thread, while
   * this one loads the policies.
   */
  begin(cloud: CheckedCloud): void {
    // Whoever asks for the result gets the error.
    this.current(cloud).catch(() => {});
  }
}

type CheckedCloud = Pick<Cloud, 'sharedState' | 'central'>;

/** What lets other machines, or the pages of any site, use the cloud. */
interface Exposure {
  readonly what: string;
  /** The options to leave out. */
  readonly options: string;
}

function exposureOf(config: Config): Exposure | undefined {
  const [host] = openHosts(config);
  if (host !== undefined) return { what: `Listening on ${host}`, options: '--host and --listen' };
  if (config.corsOrigin.includes('*'))
    return { what: "--cors-origin '*'", options: "--cors-origin '*'" };
  return undefined;
}

/**
 * Refuses to let others reach a cloud in which users have the default password.
 * @throws Error with the next step
 */
export async function refuseStoredDefaultPassword(cloud: Cloud): Promise<void> {
  const exposure = exposureOf(cloud.config);
  if (!exposure) return;
  const users = await cloud.defaultPassword.find(cloud.central.db);
  if (!users.length) return;
  throw new Error(
    `${exposure.what} needs passwords of your own, and ${users.join(' and ')} of this cloud still ` +
      `${users.length > 1 ? 'have' : 'has'} the default one. Start without ${exposure.options}, ` +
      `${changeOf(users)}, and start again.`,
  );
}

/**
 * Refuses a state that would bring the default password to a cloud that others reach.
 * @param db the transaction that restores the central database
 * @throws 409
 */
export async function refuseRestoredDefaultPassword(cloud: Cloud, db: Db): Promise<void> {
  const exposure = exposureOf(cloud.config);
  const users = exposure ? await cloud.defaultPassword.find(db) : [];
  if (exposure && users.length) throw defaultPasswordIn(exposure, users);
}

const defaultPasswordIn = ({ what, options }: Exposure, users: readonly string[]): ApiError =>
  conflict(
    `${what} needs passwords of your own, and ${users.join(' and ')} of the state to restore ` +
      `${users.length > 1 ? 'have' : 'has'} the default one. Restore it in an emulator without ` +
      `${options}, ${changeOf(users)}, and export it again.`,
  );

/** How to change the password of the users. */
export const changeOf = (users: readonly string[]): string =>
  `change it with 'openstack user set --password PASSWORD ${users[0]}'` +
  (users.length > 1 ? `, also for ${users.slice(1).join(' and ')}` : '');
