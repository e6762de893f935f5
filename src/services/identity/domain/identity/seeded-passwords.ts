// The password of the seeded users: its hash, and which of them still have a given password.
import type { Db } from '../../../../kernel/db/database.ts';
import type { Cloud, Context } from '../../../../kernel/model.ts';
import { findUser } from '../../store/identity/users.ts';
import { readSecret, writeSecret } from '../../store/auth/tokens.ts';
import { seededId } from '../seeded-ids.ts';
import { hashPassword, passwordMatches } from './passwords.ts';

const secret = 'identity.seed_password';

/** The hash of the configured password, and the process that has opened the cloud with it. */
interface SeedPassword {
  readonly opening?: string;
  readonly hash?: string;
}

const openingOf = ({ openedAt }: Cloud): string => `${process.pid}.${openedAt}`;

const readSeedPassword = async (db: Db): Promise<SeedPassword> =>
  JSON.parse((await readSecret(db, secret)) ?? '{}') as SeedPassword;

/**
 * The hash of the configured password. Hashing takes longer than the rest of a reset, so the hash
 * is stored next to the token key, under the process that opened the cloud: another process may be
 * configured with another password.
 */
export async function seedPasswordHash(db: Db, cloud: Cloud): Promise<string> {
  const opening = openingOf(cloud);
  const stored = await readSeedPassword(db);
  const { adminPassword } = cloud.config;
  if (stored.hash !== undefined && stored.opening === opening) return stored.hash;
  const isSame = stored.hash !== undefined && (await passwordMatches(stored.hash, adminPassword));
  const hash = isSame ? stored.hash! : await hashPassword(adminPassword);
  await writeSecret(db, secret, JSON.stringify({ opening, hash }));
  return hash;
}

/** The hash of the password, if it is the one with which this process has seeded the cloud. */
async function knownHash(
  db: Db,
  cloud: Cloud | undefined,
  password: string,
): Promise<string | undefined> {
  if (cloud === undefined || password !== cloud.config.adminPassword) return undefined;
  const { opening, hash } = await readSeedPassword(db);
  return opening === openingOf(cloud) ? hash : undefined;
}

/**
 * The names of the users, admin or demo, that can currently sign in with the password.
 * @param cloud if given, the password with which this process has seeded it is not verified against
 *   its hash, which would take some 20 milliseconds of each start
 */
export async function seededUsersWith(
  { db, cloud }: Pick<Context, 'db'> & { readonly cloud?: Cloud },
  password: string,
): Promise<string[]> {
  const names: string[] = [];
  const known = await knownHash(db, cloud, password);
  // In a new cloud, both have the same hash.
  const checked = new Map<string | null, boolean>(known === undefined ? [] : [[known, true]]);
  for (const name of ['admin', 'demo']) {
    const user = await findUser(db, seededId('user', name));
    if (!user?.enabled) continue;
    const { passwordHash: hash } = user;
    if (!checked.has(hash)) checked.set(hash, await passwordMatches(hash, password));
    if (checked.get(hash)) names.push(name);
  }
  return names;
}
