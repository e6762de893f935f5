// Hashes passwords and secrets with Argon2id, at the lowest cost that OWASP recommends: about six
// milliseconds here.
import { loadArgon2 } from '../../../../kernel/lazy.ts';

const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Hashes a password, outside the event loop. */
export const hashPassword = (password: string): Promise<string> =>
  loadArgon2().hash(password, cost);

/** Whether a password has that hash. No password matches null. */
export async function passwordMatches(stored: string | null, password: string): Promise<boolean> {
  return stored !== null && loadArgon2().verify(stored, password);
}
