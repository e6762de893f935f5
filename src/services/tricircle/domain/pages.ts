// Reads the parameters of paginated lists: limit and filters.
import { pythonInt } from './fields.ts';
import { typed } from './errors.ts';

/** The default and maximum limit. Upstream: pagination_max_limit. */
const maxLimit = 2000;

/** Reads the number of rows of a page. Zero and negative numbers mean the maximum. @throws 400 */
export function readLimit(text: string | undefined): number {
  if (text === undefined) return maxLimit;
  const limit = pythonInt(text);
  if (limit === undefined)
    throw typed(
      400,
      `Limit should be an integer or a valid literal for int() rather than '${text}'`,
    );
  return limit > 0 ? Math.min(limit, maxLimit) : maxLimit;
}

/** Reads the filters of a query. @throws 400 for an unknown filter */
export function readFilters(
  entries: readonly (readonly [string, string])[],
  known: readonly string[],
): Readonly<Record<string, string>> {
  const filters = Object.fromEntries(
    entries.filter(([name]) => name !== 'limit' && name !== 'marker'),
  );
  const unknown = Object.keys(filters).filter((name) => !known.includes(name));
  if (unknown.length) throw typed(400, `Unsupported filter type: ${unknown.join(', ')}`);
  return filters;
}
