// The query parameter `limit` of Cinder and Glance, which reject invalid values with the same
// messages. Upstream: cinder/api/common.py, glance/api/v2/images.py.
import { badRequest } from '../errors.ts';
import type { Query } from '../query.ts';

/** The number of rows of a page: the default and the maximum. */
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
