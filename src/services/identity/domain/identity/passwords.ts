// Hashes passwords and secrets with Argon2id, at the lowest cost that OWASP recommends: about six
// milliseconds here.
import { createHash } from 'node:crypto';
import { sameSecret } from '../../../../kernel/auth/same-secret.ts';
import { newSecret } from '../../../../kernel/ids.ts';
import { loadArgon2 } from '../../../../kernel/lazy.ts';

const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Hashes a password, outside the event loop. */
export const hashPassword = (password: string): Promise<string> =>
  loadArgon2().hash(password, cost);

/**
 * Hashes a password of 128 or more random bits in microseconds. Nobody can guess such a password,
 * so the hash does not have to be slow.
 */
export const hashGenerated = (password: string): string => saltedHash(newSecret(16), password);

const generatedPrefix = '$sha256$';

function saltedHash(salt: string, password: string): string {
  const digest = createHash('sha256').update(`${salt}$${password}`).digest('base64url');
  return `${generatedPrefix}${salt}$${digest}`;
}

/** Whether a password has that hash. No password matches null. */
export async function passwordMatches(stored: string | null, password: string): Promise<boolean> {
  if (stored === null) return false;
  if (!stored.startsWith(generatedPrefix)) return loadArgon2().verify(stored, password);
  const [salt = ''] = stored.slice(generatedPrefix.length).split('$');
  return sameSecret(saltedHash(salt, password), stored);
}
