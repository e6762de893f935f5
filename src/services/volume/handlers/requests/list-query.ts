// Reads the query of a list request: filters, order and page. Upstream: cinder/api/common.py and
// cinder/api/v3.
import { badRequest } from '../../../../kernel/errors.ts';
import { parseIsoTime } from '../../../../kernel/oslo/isotime.ts';
import { limitOf, type PageLimits } from '../../../../kernel/oslo/paging.ts';
import { boolFromString, isTrue } from '../../../../kernel/oslo/booleans.ts';
import type { Query } from '../../../../kernel/query.ts';
import { invalidInput } from '../../domain/errors.ts';
import type { VolumeCall } from '../../call.ts';
import type { Comparison, ListRequest, Page } from '../../store/lists.ts';
import type { ListFields } from './list-fields.ts';

const maxInteger = 2_147_483_647;

/** How a version of the API reads a query, depending on the caller. */
export interface ListOptions {
  /** Whether the caller may use all filters. */
  readonly isAdmin: boolean;
  /** Whether an unknown filter is an error, as from 3.31 on. */
  readonly refusesUnknown: boolean;
  /** Whether `name~` searches for a substring, as from 3.34 on. */
  readonly matchesSubstrings: boolean;
  /** Whether `bootable=x` is an error, as from 3.2 on. */
  readonly strictBooleans: boolean;
  /** Filters to ignore, because the version lacks them or the handler applies them itself. */
  readonly ignored: readonly string[];
  /** Whether `with_count` requests the number of records on all pages, as from 3.45 on. */
  readonly withCount: boolean;
}

/** The options of a list that only administrators read, and that is the same in all versions. */
export const plainList: ListOptions = {
  isAdmin: true,
  refusesUnknown: false,
  matchesSubstrings: false,
  strictBooleans: false,
  ignored: [],
  withCount: false,
};

/** The options of a list whose filters are those of its version and its caller. */
export const versionedList = (
  { version, actor }: VolumeCall,
  more: Partial<ListOptions> = {},
): ListOptions => ({
  ...plainList,
  isAdmin: actor.isAdmin,
  refusesUnknown: version.has('3.31'),
  matchesSubstrings: version.has('3.34'),
  ...more,
});

const notFilters = new Set([
  'limit',
  'offset',
  'marker',
  'sort',
  'sort_key',
  'sort_dir',
  'all_tenants',
]);

/** Reads the query of a list. @throws 400 */
export function readListQuery<T>(
  query: Query,
  fields: ListFields<T>,
  options: ListOptions,
  pageLimits: PageLimits,
): ListRequest<T> {
  const sort = sortOf(query, fields);
  const isFilter = (name: string): boolean =>
    !notFilters.has(name) &&
    !(options.withCount && name === 'with_count') &&
    !options.ignored.includes(name);
  const filters = allowedFilters(query.names().filter(isFilter), fields, options);
  return {
    conditions: filters
      .filter((name) => name !== 'metadata')
      .flatMap((name) => conditionsOf(name, query.last(name)!, fields, options)),
    metadata: filters.includes('metadata') ? dictionaryOf(query.last('metadata')!) : {},
    sort,
    limit: limitOf(query, pageLimits),
    offset: offsetOf(query),
    marker: query.last('marker'),
    allTenants: options.isAdmin && isTrue(query.last('all_tenants')),
    withCount: options.withCount && isTrue(query.last('with_count')),
  };
}

/**
 * Returns whether a parameter is a word for a boolean, without blanks. Upstream: is_valid_boolstr
 * in oslo_utils.strutils.
 */
export const isBoolString = (text: string): boolean =>
  text === text.trim() && boolFromString(text) !== undefined;

/**
 * Returns the filters that the caller may use. A filter for administrators is ignored, or an error
 * from 3.31 on.
 * @throws 400
 */
function allowedFilters(
  names: readonly string[],
  fields: Pick<ListFields<never>, 'open'>,
  options: ListOptions,
): string[] {
  if (options.isAdmin) return [...names];
  const isOpen = (name: string): boolean =>
    fields.open.includes(name) || (options.matchesSubstrings && fields.open.includes(`${name}~`));
  const unknown = names.filter((name) => !isOpen(name));
  if (options.refusesUnknown && unknown.length)
    throw badRequest(`Invalid filters ${unknown.join(',')} are found in query options.`);
  return names.filter(isOpen);
}

function conditionsOf<T>(
  name: string,
  text: string,
  fields: ListFields<T>,
  options: ListOptions,
): ListRequest<T>['conditions'] {
  if (options.matchesSubstrings && name.endsWith('~')) {
    const field = fieldNamed(fields.filters, name.slice(0, -1));
    return [field ? { field, operator: 'like', value: text } : 'never'];
  }
  if (name === 'created_at' || name === 'updated_at') {
    const comparisons = fields.comparesTimes ? comparisonsOf(text) : equalTimeOf(text);
    const field = fieldNamed(fields.times, name);
    return field && comparisons ? comparisons.map((one) => ({ field, ...one })) : ['never'];
  }
  if (fields.empty?.includes(name)) return text === 'None' ? [] : ['never'];
  const field = fieldNamed(fields.filters, name);
  // Upstream returns an empty list for a filter that is not a field.
  if (field === undefined) return ['never'];
  if (fields.booleans?.includes(name))
    return [{ field, operator: '=', value: Number(booleanOf(name, text, options)) }];
  if (fields.numbers?.includes(name))
    return /^\s*\d{1,15}\s*$/.test(text)
      ? [{ field, operator: '=', value: Number(text) }]
      : ['never'];
  if (text === 'None') return [{ field, operator: '=', value: null }];
  return [{ field, operator: '=', value: unquoted(name, text) }];
}

const fieldNamed = <F>(fields: Readonly<Record<string, F>>, name: string): F | undefined =>
  Object.hasOwn(fields, name) ? fields[name] : undefined;

function booleanOf(name: string, text: string, { strictBooleans }: ListOptions): boolean {
  if (strictBooleans && !/^(true|false|0|1)$/i.test(text))
    throw invalidInput(`'${name} = ${text}'`);
  return !/^(false|0)$/i.test(text);
}

/**
 * Removes the quotes around a value. Upstream evaluates all values but names as Python literals.
 */
const unquoted = (name: string, text: string): string =>
  name === 'name' ? text : (/^(['"])(.*)\1$/s.exec(text)?.[2] ?? text);

const comparisons = { gt: '>', gte: '>=', lt: '<', lte: '<=', neq: '<>', eq: '=' } as const;

type TimeComparison = Omit<Comparison<never>, 'field'>;

/**
 * Reads comparisons with times, such as `gt:2026-11-20,lt:2026-11-21`. The last one with an operator
 * counts. Upstream: _handle_time_comparison_filters in cinder/api/v3/volumes.py.
 * @throws 400
 */
function comparisonsOf(text: string): TimeComparison[] {
  const found = text.split(',').map((part) => {
    const [name = '', time = part] = part.split(/:(.*)/s);
    const operator = fieldNamed(comparisons, name);
    if (!operator) throw badRequest(`Invalid ${name} operator`);
    const value = parseIsoTime(time);
    if (value === undefined) throw badRequest(`Invalid ${time} value`);
    return { operator, value };
  });
  return [...new Map(found.map((one) => [one.operator, one])).values()];
}

/** Reads the time to which a column must be equal. @returns undefined if nothing can be equal */
function equalTimeOf(text: string): TimeComparison[] | undefined {
  const value = parseIsoTime(text);
  return value === undefined ? undefined : [{ operator: '=', value }];
}

/**
 * Reads a dictionary in the syntax of Python. Any other text results in a dictionary that matches
 * no metadata.
 */
export function dictionaryOf(text: string): Record<string, string> {
  const pair = /\s*(?:u?'([^'\\]*)'|u?"([^"\\]*)")\s*:\s*(?:u?'([^'\\]*)'|u?"([^"\\]*)")\s*(,|$)/y;
  const inner = /^\s*\{(.*)\}\s*$/s.exec(text)?.[1]?.trim();
  if (inner === undefined) return { '': '' };
  const found: [string, string][] = [];
  for (let at = 0; at < inner.length;) {
    pair.lastIndex = at;
    const match = pair.exec(inner);
    if (!match) return { '': '' };
    found.push([match[1] ?? match[2]!, match[3] ?? match[4]!]);
    at = pair.lastIndex;
  }
  return Object.fromEntries(found);
}

/** Reads the number of records to skip. @throws 400 */
export function offsetOf(query: Query): number {
  const text = query.last('offset');
  if (text === undefined) return 0;
  if (!/^\s*[+-]?\d+\s*$/.test(text)) throw badRequest('offset must be an integer.');
  if (Number(text) < 0) throw badRequest('offset must be >= 0');
  if (Number(text) > maxInteger) throw badRequest(`offset must be <= ${maxInteger}`);
  return Number(text);
}

/**
 * Reads the sort keys. Creation time and id follow, to order records that are equal by the keys.
 * @throws 400
 */
function sortOf<T>(query: Query, { sortable }: ListFields<T>): Page<T>['sort'] {
  const sort = sortWordsOf(query, 'created_at').map(({ key, direction }) => ({
    field: sortFieldOf(key, sortable),
    descending: isDescending(direction),
  }));
  const { descending } = sort[0]!;
  const ties = ['created_at', 'id'].map((key) => ({ field: sortable[key]!, descending }));
  return [...sort, ...ties.filter(({ field }) => !sort.some((one) => one.field === field))];
}

/** Reads sort keys and directions without checking them. @throws 400 for both kinds at once */
export function sortWordsOf(
  query: Query,
  defaultKey: string,
): { readonly key: string; readonly direction: string }[] {
  checkSortParameters(query);
  const parts = query.has('sort')
    ? query
        .last('sort')!
        .trim()
        .split(',')
        .map((part) => part.split(/:(.*)/s))
    : [[query.last('sort_key') ?? defaultKey, query.last('sort_dir') ?? 'desc']];
  return parts.map(([key = '', direction = '']) => ({
    key: key.trim(),
    direction: direction.trim() || 'desc',
  }));
}

/** Checks that `sort` and the older parameters are not combined. @throws 400 */
export function checkSortParameters(query: Query): void {
  if (query.has('sort') && (query.has('sort_key') || query.has('sort_dir')))
    throw badRequest(
      "The 'sort_key' and 'sort_dir' parameters are deprecated and cannot be used with the " +
        "'sort' parameter.",
    );
}

function sortFieldOf<F>(key: string, sortable: Readonly<Record<string, F>>): F {
  const field = fieldNamed(sortable, key);
  if (field === undefined) throw invalidInput(`Sort key supplied is invalid: ${key}`);
  return field;
}

function isDescending(direction: string): boolean {
  if (direction !== 'asc' && direction !== 'desc')
    throw invalidInput("Unknown sort direction, must be 'asc' or 'desc'.");
  return direction === 'desc';
}
