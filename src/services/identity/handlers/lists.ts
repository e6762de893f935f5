// Lists: filters and pages as the query asks for them. Upstream: server/flask/common.py,
// wrap_collection and build_driver_hints.
import { nameKey } from '../store/names.ts';
import { badRequest } from '../../../kernel/errors.ts';
import { ok } from '../../../kernel/http/reply.ts';
import { boolFromString } from '../../../kernel/oslo/booleans.ts';
import type { Query } from '../../../kernel/query.ts';
import { wrapped, type View } from '../views/links.ts';
import type { Call, Reply } from '../../../kernel/model.ts';

/**
 * The reply with a list: filtered by these attributes; a page of it, ordered by id, where the query
 * has `limit` or `marker`.
 */
export function listReply(
  call: Call,
  collection: string,
  views: readonly View[],
  filters: readonly string[],
): Reply {
  const { query } = call;
  const folded = foldedIn(collection);
  const matching = views.filter((view) => matches(view, query, filters, folded));
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
    throw badRequest(
      `Invalid input for field/attribute limit. Value: ${text}. '${text}' does not match '^[0-9]+$'`,
    );
  return Number(text);
}

/**
 * The filters of a list for which case does not matter: upstream's database compares them. The
 * names of services are no column there.
 */
const foldedIn = (collection: string): string => (collection === 'services' ? 'type' : 'name');

function matches(view: View, query: Query, filters: readonly string[], folded: string): boolean {
  return query.entries().every(([name, value]) => {
    const shown = view[name];
    if (filters.includes(name) && name === folded && typeof shown === 'string')
      return nameKey(shown) === nameKey(value);
    if (filters.includes(name)) return equals(shown, value);
    const base = filters.find((filter) => name.startsWith(`${filter}__`));
    return base === undefined || compares(view[base], name.slice(base.length + 2), value);
  });
}

const equals = (value: unknown, filter: string): boolean =>
  typeof value === 'boolean' ? value === isTrueFilter(filter) : (value ?? null) === filter;

/** A boolean in a filter: true for every text that does not mean false, and so for an empty one. */
export const isTrueFilter = (text: string): boolean => boolFromString(text) !== false;

function compares(value: unknown, comparator: string, filter: string): boolean {
  if (typeof value !== 'string') return false;
  const insensitive = comparator.startsWith('i');
  const [whole, part] = insensitive ? [value.toLowerCase(), filter.toLowerCase()] : [value, filter];
  switch (insensitive ? comparator.slice(1) : comparator) {
    case 'contains':
      return whole.includes(part);
    case 'startswith':
      return whole.startsWith(part);
    case 'endswith':
      return whole.endsWith(part);
    default:
      return true; // upstream ignores other comparators
  }
}

/** A flag in the query: set by any value but 0. */
export const flag = (query: Query, name: string): boolean =>
  query.has(name) && query.first(name) !== '0';
