// Pagination of lists by limit and marker, or by limit and offset.
import { badRequest } from '../../../kernel/errors.ts';
import type { ComputeCall } from '../call.ts';
import { loadSettings } from '../domain/settings.ts';

/** The maximum size of a page. */
export const maxItemsOf = async (call: ComputeCall): Promise<number> =>
  (await loadSettings(call)).maxLimit;

export interface Page {
  readonly limit: number;
  readonly marker: string | undefined;
}

/** The requested page. A limit of 0 requests an empty page. */
export async function pageOf(call: ComputeCall): Promise<Page> {
  const { query } = call;
  const maxItems = await maxItemsOf(call);
  const limit = query.last('limit');
  return {
    limit: limit === undefined ? maxItems : Math.min(Number(limit), maxItems),
    marker: query.last('marker'),
  };
}

/**
 * The items after the marker, up to the limit.
 * @throws 400 if the marker is not in the list
 */
export function pageAfterMarker<T>(
  all: readonly T[],
  { limit, marker }: Page,
  idOf: (item: T) => string,
  unknown = `marker [${marker}] not found`,
): T[] {
  const index = marker === undefined ? -1 : all.findIndex((item) => idOf(item) === marker);
  if (marker !== undefined && index < 0) throw badRequest(unknown);
  return all.slice(index + 1, index + 1 + limit);
}

/** The items that `offset` and `limit` request. A limit of 0 means no limit. */
export async function pageAtOffset<T>(call: ComputeCall, all: readonly T[]): Promise<T[]> {
  const { query } = call;
  const maxItems = await maxItemsOf(call);
  const offset = Number(query.last('offset') ?? 0);
  const limit = Math.min(Number(query.last('limit') ?? 0) || maxItems, maxItems);
  return all.slice(offset, offset + limit);
}
