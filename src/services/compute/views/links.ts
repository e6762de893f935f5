// Links to resources, with the project in the path where the request's path had it.
import type { ComputeCall } from '../call.ts';

export interface Link {
  readonly rel: string;
  readonly href: string;
}

const project = ({ urlProject }: ComputeCall): string =>
  urlProject === undefined ? '' : `/${urlProject}`;

/** The URL of something below the API, such as `flavors/1`. */
export const hrefTo = (call: ComputeCall, path: string): string =>
  `${call.origin}${call.prefix}/v2.1${project(call)}/${path}`;

/** The same without a version. */
export const bookmarkTo = (call: ComputeCall, path: string): Link => ({
  rel: 'bookmark',
  href: `${call.origin}${call.prefix}${project(call)}/${path}`,
});

/** Both links of a resource. */
export const linksTo = (call: ComputeCall, path: string): readonly Link[] => [
  { rel: 'self', href: hrefTo(call, path) },
  bookmarkTo(call, path),
];

/**
 * The link to the next page: the request's query with another marker; none where the page is not
 * full.
 */
export function nextPage(
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
