// Parses the query of lists of metadata definitions, which check it in their own order.
import { badRequest } from '../../../../kernel/errors.ts';
import type { Query } from '../../../../kernel/query.ts';

/** The visibilities by which lists can be filtered, though only those of namespaces are. */
export const contentVisibilities = ['public', 'private', 'shared'] as const;

/** Whether the list is descending. @throws 400 */
export function isDescending(query: Query): boolean {
  const direction = query.last('sort_dir') ?? 'desc';
  if (direction !== 'asc' && direction !== 'desc')
    throw badRequest(`Invalid sort direction: ${direction}`);
  return direction === 'desc';
}

/** The filter on visibility. @throws 400 */
export function visibilityOf<V extends string>(
  query: Query,
  visibilities: readonly V[],
): V | undefined {
  const text = query.last('visibility');
  if (!text) return undefined;
  const visibility = visibilities.find((one) => one === text);
  if (!visibility) throw badRequest(`Invalid visibility value: ${text}`);
  return visibility;
}
