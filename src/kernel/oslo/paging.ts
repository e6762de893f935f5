// The query parameter `limit` of Cinder and Glance, which refuse it with the same words. Upstream:
// cinder/api/common.py, glance/api/v2/images.py.
import { badRequest } from '../errors.ts';
import type { Query } from '../query.ts';

/** How many rows a page has: where the query does not say, and at most. */
export interface PageLimits {
  readonly default: number;
  readonly max: number;
}

/** The limit of a page. @throws 400 */
export function limitOf(query: Query, limits: PageLimits): number {
  const text = query.last('limit');
  if (text === undefined) return limits.default;
  if (!/^\s*[+-]?\d+\s*$/.test(text)) throw badRequest('limit param must be an integer');
  if (Number(text) < 0) throw badRequest('limit param must be positive');
  return Math.min(Number(text), limits.max);
}
