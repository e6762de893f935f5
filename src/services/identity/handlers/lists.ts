// Filters lists and splits them into pages. Upstream: wrap_collection and build_driver_hints in
// server/flask/common.py.
import { nameKey } from '../store/names.ts';
import { badRequest } from '../../../kernel/errors.ts';
import { boolFromString } from '../../../kernel/oslo/booleans.ts';
import type { Query } from '../../../kernel/query.ts';
import { loadSettings } from '../domain/settings.ts';
import { wrapped, type View } from '../views/links.ts';
import type { Call } from '../../../kernel/model.ts';

/**
 * The body of a list, filtered by these attributes. If there is a limit, or the query has `marker`,
 * it is one page of the list, ordered by id.
 */
export function listBody(
  call: Call,
  collection: string,
  views: readonly View[],
  filters: readonly string[],
  limit = limitOf(call.query),
): object {
  const { query } = call;
  const caseless = caselessFilter(collection);
  const tests = testsOf(query, filters, caseless);
  const matching = views.filter((view) => tests.every((test) => test(view)));
  const marker = query.first('marker');
  if (marker === undefined && limit === undefined) return wrapped(call, collection, matching);
  const sorted = matching.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const rest = marker ? sorted.filter((view) => view.id > marker) : sorted;
  const page = rest.slice(0, limit);
  const body = wrapped(call, collection, page);
  if (page.length === rest.length) return body;
  const others = query.entries().filter(([name]) => name !== 'marker');
  const next = new URLSearchParams(others.map(([name, value]): [string, string] => [name, value]));
  next.set('limit', String(limit));
  if (page.length) next.set('marker', page.at(-1)!.id);
  const url = `${call.origin}${call.prefix}${call.path}?${next.toString()}`;
  return { ...body, links: { ...(body['links'] as object), next: url }, truncated: true };
}

/**
 * The collections that the setting `list_limit` applies to. Upstream: response_truncated in
 * common/manager.py, and _set_list_limit_in_hints in identity/core.py.
 */
const limitedCollections = new Set([
  'credentials',
  'domains',
  'endpoints',
  'limits',
  'policies',
  'projects',
  'regions',
  'registered_limits',
  'roles',
  'services',
]);
/** Those where it replaces the limit of the request. */
const strictlyLimited = new Set(['users', 'groups']);

/** The most members of the list that a request asks for; undefined for all. @throws 400 */
export async function listLimit(
  { db, query }: Call,
  collection: string,
): Promise<number | undefined> {
  const requested = limitOf(query);
  const isStrict = strictlyLimited.has(collection);
  if (!isStrict && (requested !== undefined || !limitedCollections.has(collection)))
    return requested;
  return (await loadSettings({ db })).listLimit ?? requested;
}

function limitOf(query: Query): number | undefined {
  const text = query.first('limit');
  if (!text) return undefined;
  if (!/^\d{1,9}$/.test(text))
    throw badRequest(
      `Invalid input for field/attribute limit. Value: ${text}. '${text}' does not ` +
        "match '^[0-9]+$'",
    );
  return Number(text);
}

/**
 * The filter of a list that ignores case, because upstream's database compares it. The name of a
 * service is not a column there.
 */
const caselessFilter = (collection: string): string =>
  collection === 'services' ? 'type' : 'name';

/** Whether a record matches a filter. */
type Test = (view: View) => boolean;

/** The filters in the query, each once. */
function testsOf(query: Query, filters: readonly string[], caseless: string): Test[] {
  const tests = new Map<string, Test>();
  for (const [name, value] of query.entries()) {
    const test = testOf(name, value, filters, caseless);
    if (test) tests.set(JSON.stringify([name, value]), test);
  }
  return [...tests.values()];
}

function testOf(
  name: string,
  value: string,
  filters: readonly string[],
  caseless: string,
): Test | undefined {
  if (filters.includes(name)) {
    if (name !== caseless) return (view) => equals(view[name], value);
    const key = nameKey(value);
    return ({ [name]: shown }) =>
      typeof shown === 'string' ? nameKey(shown) === key : equals(shown, value);
  }
  const base = filters.find((filter) => name.startsWith(`${filter}__`));
  return base === undefined
    ? undefined
    : (view) => compares(view[base], name.slice(base.length + 2), value);
}

const equals = (value: unknown, filter: string): boolean =>
  typeof value === 'boolean' ? value === isTrueFilter(filter) : (value ?? null) === filter;

/** The boolean that a filter means: true unless the text means false, so an empty text is true. */
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

/** Whether a flag is set in the query: any value but 0 sets it. */
export const flag = (query: Query, name: string): boolean =>
  query.has(name) && query.first(name) !== '0';
