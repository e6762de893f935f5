// The query parameter `limit` of Cinder and Glance, which refuse it with the same words. Upstream: cinder/api/common.py, glance/api/v2/images.py.
import { badRequest } from '../fault.ts';
import type { Query } from '../query.ts';

/** How many rows a page has: `usual` where the query does not say, and never more than `largest`. @throws 400 */
export function limitOf(query: Query, { usual, largest }: { readonly usual: number; readonly largest: number }): number {
  const text = query.last('limit');
  if (text === undefined) return usual;
  if (!/^\s*[+-]?\d+\s*$/.test(text)) throw badRequest('limit param must be an integer');
  if (Number(text) < 0) throw badRequest('limit param must be positive');
  return Math.min(Number(text), largest);
}
