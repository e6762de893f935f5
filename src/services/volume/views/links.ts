// Links. Their paths include the project if the path of the request does.
import { limitOf, type PageLimits } from '../../../kernel/oslo/paging.ts';
import type { VolumeCall } from '../call.ts';

const inProject = (call: VolumeCall): string =>
  call.projectInPath === undefined ? '' : `/${call.projectInPath}`;

/** Returns the two links of a resource. */
export function linksOf(
  call: VolumeCall,
  collection: string,
  id: string,
): { rel: string; href: string }[] {
  const base = call.origin + call.prefix;
  const rest = `${inProject(call)}/${collection}/${id}`;
  return [
    { rel: 'self', href: `${base}/v3${rest}` },
    { rel: 'bookmark', href: base + rest },
  ];
}

/** Returns the link to the next page, under `key`, or nothing if this page is not full. */
export function nextLink(
  call: VolumeCall,
  collection: string,
  key: string,
  resources: readonly { id: string }[],
  pageLimits: PageLimits,
): object {
  const last = resources.at(-1);
  if (!last || resources.length < limitOf(call.query, pageLimits)) return {};
  const pairs = call.query
    .names()
    .filter((name) => name !== 'marker')
    .map((name): [string, string] => [name, call.query.last(name)!]);
  const query = new URLSearchParams([...pairs, ['marker', last.id]]).toString();
  return {
    [key]: [
      {
        rel: 'next',
        href: `${call.origin}${call.prefix}/v3${inProject(call)}/${collection}?${query}`,
      },
    ],
  };
}
