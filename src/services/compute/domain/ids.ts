// Reads ids in paths, which are UUIDs or numbers depending on the version.
import { badRequest, type ApiError } from '../../../kernel/errors.ts';
import { isUuidLike, normalUuid } from '../../../kernel/ids.ts';

const isInteger = (text: string): boolean => /^\s*[+-]?\d+(_\d+)*\s*$/.test(text);

/** Reads a number in a path. @throws `invalid()` if it is not an integer */
export function integerId(
  text: string,
  invalid: () => ApiError = () => badRequest('Invalid input received: id must be an integer'),
): number {
  if (!isInteger(text)) throw invalid();
  return Number(text.replaceAll('_', ''));
}

/**
 * The key of a resource: its UUID from 2.53 on, and its number before.
 * @throws 400 for an invalid UUID, `invalid()` for an invalid number
 */
export function keyOf(
  text: string,
  byUuid: boolean,
  invalid?: () => ApiError,
): { uuid: string } | { id: number } {
  if (!byUuid) return { id: Math.min(integerId(text, invalid), Number.MAX_SAFE_INTEGER) };
  if (!isUuidLike(text)) throw badRequest(`Invalid uuid ${text}`);
  return { uuid: normalUuid(text) };
}
