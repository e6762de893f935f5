// The links of the pages of a list.
import type { Query } from '../../../kernel/query.ts';

/**
 * The links to the first page and, if there is a marker for it, to the next one. They keep the
 * query.
 */
export function collectionLinks(
  query: Query,
  path: string,
  nextMarker: string | undefined,
): { readonly first: string; readonly next?: string } {
  const pairs = query
    .names()
    .filter((name) => name !== 'marker')
    .map((name): [string, string] => [name, query.last(name)!]);
  return {
    first: linkTo(path, pairs),
    ...(nextMarker === undefined ? {} : { next: linkTo(path, [...pairs, ['marker', nextMarker]]) }),
  };
}

function linkTo(path: string, pairs: [string, string][]): string {
  const query = new URLSearchParams(pairs).toString();
  return query ? `${path}?${query}` : path;
}
