// The response headers Last-Modified and Cache-Control, which exist from 1.15 on.
import { httpDate, type Micros } from '../../../kernel/clock.ts';
import type { Version } from '../../../kernel/microversion.ts';
import type { PlacementVersion } from '../versions.ts';

/** Without a time, `Last-Modified` is left out. */
export function cacheHeaders(
  version: Version<PlacementVersion>,
  modified: Micros | null | undefined,
): Record<string, string> {
  if (!version.has('1.15')) return {};
  return {
    'cache-control': 'no-cache',
    ...(modified == null ? {} : { 'last-modified': httpDate(modified) }),
  };
}

/** Returns the latest time at which a row was written; `empty` if the list is empty. */
export function newest<T extends { createdAt: Micros; updatedAt?: Micros | null }>(
  rows: readonly T[],
  empty: Micros | null,
): Micros | null {
  if (!rows.length) return empty;
  return rows.reduce((latest, row) => Math.max(latest, row.updatedAt ?? row.createdAt), 0);
}
