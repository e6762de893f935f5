// Reads the query of a list: filters, order and page. Upstream: cinder/api/common.py and
// cinder/api/v3.
import { parseTime } from '../../../../kernel/clock.ts';
import { badRequest } from '../../../../kernel/errors.ts';
import { limitOf } from '../../../../kernel/oslo/paging.ts';
import { boolFromString, isTrue } from '../../../../kernel/oslo/booleans.ts';
import type { Query } from '../../../../kernel/query.ts';
import { invalidInput } from '../../domain/errors.ts';
import { pageLimits } from '../../model.ts';
import type { Condition, Listing, ListRequest } from '../../store/lists.ts';
import type { ListFields } from './list-fields.ts';

const maxInteger = 2_147_483_647;

/** How a version of the API reads a query, for whom. */
export interface ListOptions {
  /** Administrators use all filters. */
  readonly isAdmin: boolean;
  /** From 3.31 on, an unknown filter is refused. */
  readonly refusesUnknown: boolean;
  /** From 3.34 on, `name~` looks for a part of the name. */
  readonly findsParts: boolean;
  /** From 3.2 on, `bootable=x` is refused. */
  readonly strictBooleans: boolean;
  /** Filters that are ignored: the version does not have them, or the handler applies them. */
  readonly ignored: readonly string[];
  /** From 3.45 on, `with_count` asks for the number of rows of all pages. */
  readonly withCount: boolean;
}

/** The options of a list without versions and with filters for administrators only. */
export const plainList: ListOptions = {
  isAdmin: true,
  refusesUnknown: false,
  findsParts: false,
  strictBooleans: false,
  ignored: [],
  withCount: false,
};

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
export function readListQuery(query: Query, fields: ListFields, options: ListOptions): ListRequest {
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

/** The condition that no row matches. */
export const never: Condition = { column: 'id', operator: 'never', value: null };

/**
 * Whether a parameter is one of the words for a boolean, without blanks. Upstream: is_valid_boolstr
 * of oslo_utils.strutils.
 */
export const isBoolString = (text: string): boolean =>
  text === text.trim() && boolFromString(text) !== undefined;

/**
 * The filters that the caller may use: a filter for administrators is ignored, or refused.
 * @throws 400
 */
function allowedFilters(
  names: readonly string[],
  fields: ListFields,
  options: ListOptions,
): string[] {
  if (options.isAdmin) return [...names];
  const isOpen = (name: string): boolean =>
    fields.open.includes(name) || (options.findsParts && fields.open.includes(`${name}~`));
  const unknown = names.filter((name) => !isOpen(name));
  if (options.refusesUnknown && unknown.length)
    throw badRequest(`Invalid filters ${unknown.join(',')} are found in query options.`);
  return names.filter(isOpen);
}

function conditionsOf(
  name: string,
  text: string,
  fields: ListFields,
  options: ListOptions,
): Condition[] {
  if (options.findsParts && name.endsWith('~')) {
    const column = columnFor(fields, name.slice(0, -1));
    return [column ? { column, operator: 'like', value: text } : never];
  }
  if (name === 'created_at' || name === 'updated_at') return timesOf(name, text);
  if (fields.empty.includes(name)) return text === 'None' ? [] : [never];
  const column = columnFor(fields, name);
  // Upstream finds nothing for a filter that is not a field.
  if (column === undefined) return [never];
  if (fields.booleans.includes(name))
    return [{ column, operator: '=', value: Number(booleanOf(name, text, options)) }];
  if (fields.numbers.includes(name))
    return [/^\s*\d{1,15}\s*$/.test(text) ? { column, operator: '=', value: Number(text) } : never];
  if (text === 'None') return [{ column, operator: '=', value: null }];
  return [{ column, operator: '=', value: unquoted(name, text) }];
}

const columnFor = ({ columns }: ListFields, name: string): string | undefined =>
  Object.hasOwn(columns, name) ? columns[name] : undefined;

function booleanOf(name: string, text: string, { strictBooleans }: ListOptions): boolean {
  if (strictBooleans && !/^(true|false|0|1)$/i.test(text))
    throw invalidInput(`'${name} = ${text}'`);
  return !/^(false|0)$/i.test(text);
}

/**
 * Upstream reads a value as a Python literal, which removes quotes around it; a name is not read
 * so.
 */
const unquoted = (name: string, text: string): string =>
  name === 'name' ? text : (/^(['"])(.*)\1$/s.exec(text)?.[2] ?? text);

const comparisons = { gt: '>', gte: '>=', lt: '<', lte: '<=', neq: '<>', eq: '=' } as const;

function timesOf(column: string, text: string): Condition[] {
  return text.split(',').map((part) => {
    const [operator = '', time = ''] = part.split(/:(.*)/s);
    if (!Object.hasOwn(comparisons, operator)) throw badRequest(`Invalid ${operator} operator`);
    const value = parseTime(time);
    if (value === undefined) throw badRequest(`Invalid ${time} value`);
    return { column, operator: comparisons[operator as keyof typeof comparisons], value };
  });
}

/** Reads a dictionary as Python writes it; any other text gives one that no metadata has. */
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

/** How many rows a page leaves out. @throws 400 */
export function offsetOf(query: Query): number {
  const text = query.last('offset');
  if (text === undefined) return 0;
  if (!/^\s*[+-]?\d+\s*$/.test(text)) throw badRequest('offset must be an integer.');
  if (Number(text) < 0) throw badRequest('offset must be >= 0');
  if (Number(text) > maxInteger) throw badRequest(`offset must be <= ${maxInteger}`);
  return Number(text);
}

/**
 * The sort keys, followed by creation time and id, which decide between rows that are equal by the
 * keys.
 * @throws 400
 */
function sortOf(query: Query, { sortable }: ListFields): Listing['sort'] {
  if (query.has('sort') && (query.has('sort_key') || query.has('sort_dir')))
    throw badRequest(
      "The 'sort_key' and 'sort_dir' parameters are deprecated and cannot be used with the 'sort' parameter.",
    );
  const parts = query.has('sort')
    ? query
        .last('sort')!
        .trim()
        .split(',')
        .map((part) => part.split(/:(.*)/s))
    : [[query.last('sort_key') ?? 'created_at', query.last('sort_dir') ?? 'desc']];
  const given = parts.map(([key = '', direction = '']) => ({
    column: columnOf(key.trim(), sortable),
    direction: directionOf(direction.trim() || 'desc'),
  }));
  const first = given[0]!.direction;
  const rest = ['created_at', 'id'].filter((column) => !given.some((one) => one.column === column));
  return [...given, ...rest.map((column) => ({ column, direction: first }))];
}

function columnOf(key: string, sortable: ListFields['sortable']): string {
  if (!Object.hasOwn(sortable, key)) throw invalidInput(`Sort key supplied is invalid: ${key}`);
  return sortable[key]!;
}

function directionOf(text: string): 'asc' | 'desc' {
  if (text !== 'asc' && text !== 'desc')
    throw invalidInput("Unknown sort direction, must be 'asc' or 'desc'.");
  return text;
}
