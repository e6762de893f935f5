// Pages of a list: limit, marker and offset.
import { badRequest } from '../../../kernel/errors.ts';
import type { ComputeCall } from '../call.ts';

/** No page has more. Upstream: max_limit in conf/api.py. */
export const mostItems = 1000;

export interface Page {
  readonly limit: number;
  readonly marker: string | undefined;
}

/** The page that the query requests. A limit of 0 is an empty page. */
export function pageOf({ query }: ComputeCall): Page {
  const limit = query.last('limit');
  return {
    limit: limit === undefined ? mostItems : Math.min(Number(limit), mostItems),
    marker: query.last('marker'),
  };
}

/**
 * The part of a list after the marker, up to the limit.
 * @throws 400 where the marker is not in the list
 */
export function cut<T>(
  all: readonly T[],
  { limit, marker }: Page,
  idOf: (one: T) => string,
  unknown = `marker [${marker}] not found`,
): T[] {
  const at = marker === undefined ? -1 : all.findIndex((one) => idOf(one) === marker);
  if (marker !== undefined && at < 0) throw badRequest(unknown);
  return all.slice(at + 1, at + 1 + limit);
}

/** The part of a list that `offset` and `limit` ask for; a limit of 0 is none. */
export function limited<T>({ query }: ComputeCall, all: readonly T[]): T[] {
  const offset = Number(query.last('offset') ?? 0);
  const limit = Math.min(Number(query.last('limit') ?? 0) || mostItems, mostItems);
  return all.slice(offset, offset + limit);
}
