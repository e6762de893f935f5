// Which of the users that a new cloud starts with still have a given password.
import type { Context } from '../../../../kernel/model.ts';
import { findUser } from '../../store/identity/users.ts';
import { seededId } from '../seeded-ids.ts';
import { passwordMatches } from './passwords.ts';

/** The names of those of admin and demo who can sign in with the password, by what is stored. */
export async function seededUsersWith(
  { db }: Pick<Context, 'db'>,
  password: string,
): Promise<string[]> {
  const found: string[] = [];
  for (const name of ['admin', 'demo']) {
    const user = await findUser(db, seededId('user', name));
    if (user?.enabled && (await passwordMatches(user.passwordHash, password))) found.push(name);
  }
  return found;
}
