// Where things are found, and how lists are wrapped.
import { ok } from '../../../kernel/http/reply.ts';
import { badRequest } from '../../../kernel/fault.ts';
import type { Query } from '../../../kernel/query.ts';
import type { Call, Reply } from '../../../kernel/model.ts';

/** A thing as a client sees it. */
export type View = { readonly id: string } & Readonly<Record<string, unknown>>;

/** The URL of a path below v3, at the address that the client came by. */
export const linkTo = (call: Call, path: string): string => `${call.origin}${call.prefix}/v3/${path}`;

/** The URL of the request itself, with its query. */
export const linkToSelf = (call: Call): string =>
  `${call.origin}${call.prefix}${call.path}${call.query.text ? `?${call.query.text}` : ''}`;

/** A list as it is: neither filtered nor cut. */
export function wrapped(call: Call, collection: string, views: readonly unknown[]): Record<string, unknown> {
  return { [collection]: views, links: { next: null, self: linkToSelf(call), previous: null } };
}

/**
 * Answers with a list: filtered by the attributes that may be filtered by, in the order of the ids, and cut to a page.
 * Upstream: server/flask/common.py, wrap_collection and build_driver_hints.
 */
export function listReply(call: Call, collection: string, views: readonly View[], filters: readonly string[]): Reply {
  const { query } = call;
  const matching = views.filter((view) => matches(view, query, filters));
  const marker = query.first('marker');
  const limit = limitOf(query);
  if (marker === undefined && limit === undefined) return ok(wrapped(call, collection, matching));
  const sorted = matching.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const rest = marker ? sorted.filter((view) => view.id > marker) : sorted;
  const page = rest.slice(0, limit);
  const body = wrapped(call, collection, page);
  if (page.length === rest.length) return ok(body);
  const others = query.entries().filter(([name]) => name !== 'marker');
  const next = new URLSearchParams(others.map(([name, value]): [string, string] => [name, value]));
  if (page.length) next.set('marker', page.at(-1)!.id);
  const url = `${call.origin}${call.prefix}${call.path}?${next.toString()}`;
  return ok({ ...body, links: { ...(body['links'] as object), next: url }, truncated: true });
}

function limitOf(query: Query): number | undefined {
  const text = query.first('limit');
  if (!text) return undefined;
  if (!/^\d{1,9}$/.test(text))
    throw badRequest(`Invalid input for field/attribute limit. Value: ${text}. '${text}' does not match '^[0-9]+$'`);
  return Number(text);
}

function matches(view: View, query: Query, filters: readonly string[]): boolean {
  return query.entries().every(([name, value]) => {
    if (filters.includes(name)) return equals(view[name], value);
    const base = filters.find((filter) => name.startsWith(`${filter}__`));
    return base === undefined || resembles(view[base], name.slice(base.length + 2), value);
  });
}

const equals = (held: unknown, asked: string): boolean =>
  typeof held === 'boolean' ? held === isTrue(asked) : (held ?? null) === asked;

/** All words but those for no mean yes, and so does none at all. */
export const isTrue = (text: string): boolean => !['0', 'f', 'false', 'off', 'n', 'no'].includes(text.trim().toLowerCase());

function resembles(held: unknown, comparator: string, asked: string): boolean {
  if (typeof held !== 'string') return false;
  const insensitive = comparator.startsWith('i');
  const [whole, part] = insensitive ? [held.toLowerCase(), asked.toLowerCase()] : [held, asked];
  switch (insensitive ? comparator.slice(1) : comparator) {
    case 'contains':
      return whole.includes(part);
    case 'startswith':
      return whole.startsWith(part);
    case 'endswith':
      return whole.endsWith(part);
    default:
      return true; // what upstream does not know it ignores
  }
}

/** A flag in the query: there, with any value but 0. */
export const flag = (query: Query, name: string): boolean => query.has(name) && query.first(name) !== '0';
