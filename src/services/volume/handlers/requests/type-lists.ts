// Reads the query of a list of volume types or group types. They are few, so they are filtered,
// sorted and paged in memory. Upstream: _parse_is_public in cinder/api/api_utils.py.
import { badRequest, type ApiError } from '../../../../kernel/errors.ts';
import { boolFromString } from '../../../../kernel/oslo/booleans.ts';
import { limitOf, type PageLimits } from '../../../../kernel/oslo/paging.ts';
import type { VolumeCall } from '../../call.ts';
import { pageLimitsOf } from '../../domain/settings.ts';
import { checkSortParameters, offsetOf } from './list-query.ts';

interface AnyType {
  readonly id: string;
  readonly name: string;
  readonly isPublic: boolean;
  readonly createdAt: number;
  readonly updatedAt: number | null;
}

/**
 * Returns the page of types that a request asks for, by default newest first.
 * @param notFound the error for an unknown marker
 * @throws 400, 404
 */
export async function typePage<T extends AnyType>(
  call: VolumeCall,
  visible: readonly T[],
  notFound: (id: string) => ApiError,
): Promise<{ page: T[]; limits: PageLimits }> {
  const isPublic = call.actor.isAdmin ? publicFilter(call.query.last('is_public')) : undefined;
  const types = sorted(
    call,
    visible.filter((type) => isPublic === undefined || type.isPublic === isPublic),
  );
  const marker = call.query.last('marker');
  const at = marker === undefined ? -1 : types.findIndex(({ id }) => id === marker);
  if (marker !== undefined && at < 0) throw notFound(marker);
  const start = at + 1 + offsetOf(call.query);
  const limits = await pageLimitsOf(call);
  return { page: types.slice(start, start + limitOf(call.query, limits)), limits };
}

/**
 * Reads the filter `is_public` of administrators. The default selects public types, `None` selects
 * all types.
 * @throws 400
 */
function publicFilter(text: string | undefined): boolean | undefined {
  if (text === undefined) return true;
  if (/^none$/i.test(text)) return undefined;
  const isPublic = boolFromString(text);
  if (isPublic === undefined) throw badRequest(`Invalid is_public filter [${text}]`);
  return isPublic;
}

const sortKeys: Readonly<Record<string, (type: AnyType) => string | number>> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  created_at: ({ createdAt }) => createdAt,
  updated_at: ({ updatedAt }) => updatedAt ?? 0,
};

/** Sorts types by the first sort key in the query, by default newest first. @throws 400 */
function sorted<T extends AnyType>({ query }: VolumeCall, types: readonly T[]): T[] {
  checkSortParameters(query);
  const [key = '', direction = 'desc'] = query.has('sort')
    ? query.last('sort')!.split(',')[0]!.trim().split(':')
    : [query.last('sort_key') ?? 'created_at', query.last('sort_dir') ?? 'desc'];
  if (!Object.hasOwn(sortKeys, key))
    throw badRequest(`Invalid input received: Sort key supplied is invalid: ${key}`);
  if (direction !== 'asc' && direction !== 'desc')
    throw badRequest("Invalid input received: Unknown sort direction, must be 'asc' or 'desc'.");
  const valueOf = sortKeys[key]!;
  const ascending = types.toSorted((a, b) =>
    valueOf(a) < valueOf(b) ? -1 : valueOf(a) > valueOf(b) ? 1 : a.id < b.id ? -1 : 1,
  );
  return direction === 'asc' ? ascending : ascending.toReversed();
}
