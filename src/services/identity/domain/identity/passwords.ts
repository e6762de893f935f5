// Passwords and secrets: hashed with Argon2id at the least cost that OWASP recommends, some six milliseconds here.
import { loadArgon2 } from '../../../../kernel/later.ts';

const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** What is stored in the place of a password. Runs beside the event loop. */
export const hashPassword = (password: string): Promise<string> => loadArgon2().hash(password, cost);

/** Whether this is the password. Nobody has a password where none is stored. */
export async function passwordMatches(stored: string | null, password: string): Promise<boolean> {
  return stored !== null && loadArgon2().verify(stored, password);
}
