// Reads the expiry of an application credential or a trust from a request.
import { parseTime, type Micros } from '../../../kernel/clock.ts';
import { badRequest } from '../../../kernel/errors.ts';
import { malformed } from './refusals.ts';

/**
 * The time in `expires_at`, on the clock of the cloud; null if none is given.
 * @throws 400 if it is not a time, or is in the past
 */
export function expiry(text: string | null | undefined, now: Micros): Micros | null {
  if (text === null || text === undefined) return null;
  const time = parseTime(text);
  if (time === undefined) throw badRequest(`Timestamp not in expected format. ${malformed}`);
  if (time < now) throw badRequest(`The 'expires_at' must not be before now. ${malformed}`);
  return time;
}
