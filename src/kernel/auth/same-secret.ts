// Compares secrets.
import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether two secrets are equal, in constant time. */
export function sameSecret(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(first!, second!);
}
