// Finds the seeded users that still have a given password.
import type { Context } from '../../../../kernel/model.ts';
import { findUser } from '../../store/identity/users.ts';
import { seededId } from '../seeded-ids.ts';
import { passwordMatches } from './passwords.ts';

/** The names of the users, admin or demo, that can currently sign in with the password. */
export async function seededUsersWith(
  { db }: Pick<Context, 'db'>,
  password: string,
): Promise<string[]> {
  const names: string[] = [];
  const checked = new Map<string | null, boolean>(); // in a new cloud, both have the same hash
  for (const name of ['admin', 'demo']) {
    const user = await findUser(db, seededId('user', name));
    if (!user?.enabled) continue;
    const { passwordHash: hash } = user;
    if (!checked.has(hash)) checked.set(hash, await passwordMatches(hash, password));
    if (checked.get(hash)) names.push(name);
  }
  return names;
}
