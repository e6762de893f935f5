// The pages of lists: how many rows, and after which.
import { pythonInt } from './fields.ts';
import { typed } from './refusals.ts';

/** Upstream: pagination_max_limit. */
const most = 2000;

/** How many rows a page has. Zero and less are no limit. @throws 400 */
export function limitFrom(text: string | undefined): number {
  if (text === undefined) return most;
  const limit = pythonInt(text);
  if (limit === undefined)
    throw typed(
      400,
      `Limit should be an integer or a valid literal for int() rather than '${text}'`,
    );
  return limit > 0 ? Math.min(limit, most) : most;
}

/** The filters in a query. @throws 400 for one that the list does not have */
export function filtersFrom(
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
