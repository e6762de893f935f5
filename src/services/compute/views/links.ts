// Links to resources. They contain the project if the request's path does.
import type { ComputeCall } from '../call.ts';

export interface Link {
  readonly rel: string;
  readonly href: string;
}

const project = ({ urlProject }: ComputeCall): string =>
  urlProject === undefined ? '' : `/${urlProject}`;

/** The URL of a path below the API's root, such as `flavors/1`. */
export const hrefTo = (call: ComputeCall, path: string): string =>
  `${call.origin}${call.prefix}/v2.1${project(call)}/${path}`;

/** The bookmark link of a path: its URL without an API version. */
export const bookmarkTo = (call: ComputeCall, path: string): Link => ({
  rel: 'bookmark',
  href: `${call.origin}${call.prefix}${project(call)}/${path}`,
});

/** The self and bookmark links of a resource. */
export const linksTo = (call: ComputeCall, path: string): readonly Link[] => [
  { rel: 'self', href: hrefTo(call, path) },
  bookmarkTo(call, path),
];

/**
 * The link to the next page: the request's query with a new marker. A page that is not full has no
 * such link.
 */
export function nextPageLinks(
  call: ComputeCall,
  path: string,
  page: readonly unknown[],
  limit: number,
  marker: string,
): Link[] {
  if (!page.length || page.length < limit) return [];
  const query = new URLSearchParams(
    call.query
      .entries()
      .filter(([name]) => name !== 'marker')
      .map(([name, value]): [string, string] => [name, value]),
  );
  query.set('marker', marker);
  return [{ rel: 'next', href: `${hrefTo(call, path)}?${query.toString()}` }];
}
