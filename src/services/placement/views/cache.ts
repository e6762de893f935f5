// The headers Last-Modified and Cache-Control, from 1.15 on.
import { httpDate, type Micros } from '../../../kernel/clock.ts';
import type { Version } from '../../../kernel/microversion.ts';
import type { PlacementVersion } from '../versions.ts';

/** `Last-Modified` is left out where no time is known. */
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

/** When the newest of the rows was written; `empty` where there are none. */
export function newest<T extends { createdAt: Micros; updatedAt?: Micros | null }>(
  rows: readonly T[],
  empty: Micros | null,
): Micros | null {
  if (!rows.length) return empty;
  return rows.reduce((latest, row) => Math.max(latest, row.updatedAt ?? row.createdAt), 0);
}
