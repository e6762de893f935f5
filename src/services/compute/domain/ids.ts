// Ids in paths: UUIDs or numbers, by version.
import { badRequest, type ApiError } from '../../../kernel/errors.ts';
import { isUuidLike, normalUuid } from '../../../kernel/ids.ts';

const isInteger = (text: string): boolean => /^\s*[+-]?\d+(_\d+)*\s*$/.test(text);

/** The number in a path. @throws `refuse()` for an invalid one */
export function integerId(
  text: string,
  refuse: () => ApiError = () => badRequest('Invalid input received: id must be an integer'),
): number {
  if (!isInteger(text)) throw refuse();
  return Number(text.replaceAll('_', ''));
}

/**
 * The key of a resource: its UUID from 2.53 on, its number before.
 * @throws 400 for an invalid UUID, `refuse()` for an invalid number
 */
export function keyOf(
  text: string,
  byUuid: boolean,
  refuse?: () => ApiError,
): { uuid: string } | { id: number } {
  if (!byUuid) return { id: Math.min(integerId(text, refuse), Number.MAX_SAFE_INTEGER) };
  if (!isUuidLike(text)) throw badRequest(`Invalid uuid ${text}`);
  return { uuid: normalUuid(text) };
}
