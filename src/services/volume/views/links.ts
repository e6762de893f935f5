// Links: with the project where the request had it, and without where it had not.
import { limitOf } from '../domain/list-query.ts';
import type { VolumeCall } from '../call.ts';

const inProject = (call: VolumeCall): string => (call.projectInPath === undefined ? '' : `/${call.projectInPath}`);

/** The two links of a thing. */
export function linksOf(call: VolumeCall, collection: string, id: string): { rel: string; href: string }[] {
  const base = call.origin + call.prefix;
  const rest = `${inProject(call)}/${collection}/${id}`;
  return [
    { rel: 'self', href: `${base}/v3${rest}` },
    { rel: 'bookmark', href: base + rest },
  ];
}

/** The link to the next page, where this one is full. */
export function nextLink(call: VolumeCall, collection: string, key: string, things: readonly { id: string }[]): object {
  const last = things.at(-1);
  if (!last || things.length < limitOf(call.query)) return {};
  const pairs = call.query
    .names()
    .filter((name) => name !== 'marker')
    .map((name): [string, string] => [name, call.query.last(name)!]);
  const query = new URLSearchParams([...pairs, ['marker', last.id]]).toString();
  return { [key]: [{ rel: 'next', href: `${call.origin}${call.prefix}/v3${inProject(call)}/${collection}?${query}` }] };
}
