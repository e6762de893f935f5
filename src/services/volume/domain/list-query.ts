// What the query of a list asks for: filters, order and page. Upstream: cinder/api/common.py and cinder/api/v3.
import { parseTime } from '../../../kernel/clock.ts';
import { badRequest } from '../../../kernel/fault.ts';
import type { Query } from '../../../kernel/query.ts';
import type { Condition, Listing } from '../store/listing.ts';
import { invalidInput } from './refusals.ts';

const largestLimit = 1000;
const largestInteger = 2_147_483_647;

/** What can be asked of a kind of thing. */
export interface Kind {
  /** The filters, by the names that clients use. Only administrators use those that are not `open`. */
  readonly columns: Readonly<Record<string, string>>;
  readonly open: readonly string[];
  readonly booleans: readonly string[];
  readonly numbers: readonly string[];
  readonly sortable: Readonly<Record<string, string>>;
  /** Columns that there are no values for: only null is asked for with success. */
  readonly empty: readonly string[];
}

/** What a version of the API makes of a query. */
export interface Manner {
  readonly isAdmin: boolean;
  /** From 3.31 on: a filter that is not on offer is refused. */
  readonly refusesUnknown: boolean;
  /** From 3.34 on: `name~` looks for a part. */
  readonly findsParts: boolean;
  /** Whether `bootable=x` is refused. */
  readonly strictBooleans: boolean;
  /** Filters that the version does not know yet. */
  readonly notYet: readonly string[];
  readonly withCount: boolean;
}

export interface Asked extends Omit<Listing, 'projectId' | 'after'> {
  readonly marker: string | undefined;
  readonly allTenants: boolean;
  readonly withCount: boolean;
}

const notFilters = new Set(['limit', 'offset', 'marker', 'sort', 'sort_key', 'sort_dir', 'all_tenants']);

/** Reads the query of a list. @throws 400 */
export function readQuery(query: Query, kind: Kind, manner: Manner): Asked {
  const sort = sortOf(query, kind);
  const names = query
    .names()
    .filter((name) => !notFilters.has(name) && !(manner.withCount && name === 'with_count') && !manner.notYet.includes(name));
  const filters = knownFilters(names, kind, manner);
  return {
    conditions: filters
      .filter((name) => name !== 'metadata')
      .flatMap((name) => conditionsOf(name, query.last(name)!, kind, manner)),
    metadata: filters.includes('metadata') ? metadataOf(query.last('metadata')!) : {},
    sort,
    limit: limitOf(query),
    offset: offsetOf(query.last('offset')),
    marker: query.last('marker'),
    allTenants: manner.isAdmin && isTrue(query.last('all_tenants')),
    withCount: manner.withCount && isTrue(query.last('with_count')),
  };
}

/** As Python's `bool_from_string` reads it where nothing strict is asked. */
export const isTrue = (text: string | undefined): boolean => text !== undefined && /^\s*(1|t|true|on|y|yes)\s*$/i.test(text);

function knownFilters(names: readonly string[], kind: Kind, manner: Manner): string[] {
  if (manner.isAdmin) return [...names];
  const isOpen = (name: string): boolean => kind.open.includes(name) || (manner.findsParts && kind.open.includes(`${name}~`));
  const unknown = names.filter((name) => !isOpen(name));
  if (manner.refusesUnknown && unknown.length)
    throw badRequest(`Invalid filters ${unknown.join(',')} are found in query options.`);
  return names.filter(isOpen);
}

function conditionsOf(name: string, text: string, kind: Kind, manner: Manner): Condition[] {
  const never: Condition = { column: 'id', operator: 'never', value: null };
  if (manner.findsParts && name.endsWith('~')) {
    const column = columnFor(kind, name.slice(0, -1));
    return [column ? { column, operator: 'like', value: text } : never];
  }
  if (name === 'created_at' || name === 'updated_at') return timesOf(name, text);
  if (kind.empty.includes(name)) return text === 'None' ? [] : [never];
  const column = columnFor(kind, name);
  // Upstream finds nothing for a name that no volume has.
  if (column === undefined) return [never];
  if (kind.booleans.includes(name)) return [{ column, operator: '=', value: Number(booleanOf(name, text, manner)) }];
  if (kind.numbers.includes(name))
    return [/^\s*\d{1,15}\s*$/.test(text) ? { column, operator: '=', value: Number(text) } : never];
  if (text === 'None') return [{ column, operator: '=', value: null }];
  return [{ column, operator: '=', value: unquoted(name, text) }];
}

const columnFor = ({ columns }: Kind, name: string): string | undefined =>
  Object.hasOwn(columns, name) ? columns[name] : undefined;

function booleanOf(name: string, text: string, { strictBooleans }: Manner): boolean {
  if (strictBooleans && !/^(true|false|0|1)$/i.test(text)) throw invalidInput(`'${name} = ${text}'`);
  return !/^(false|0)$/i.test(text);
}

/** Values are read as Python's literals, so that quotes around one fall off; those around a name stay. */
const unquoted = (name: string, text: string): string => (name === 'name' ? text : (/^(['"])(.*)\1$/s.exec(text)?.[2] ?? text));

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

/** A dictionary as Python writes it down. What is none finds nothing. */
export function metadataOf(text: string): Record<string, string> {
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

/** The limit, also where it is the usual one. @throws 400 */
export function limitOf(query: Query): number {
  const text = query.last('limit');
  if (text === undefined) return largestLimit;
  if (!/^\s*[+-]?\d+\s*$/.test(text)) throw badRequest('limit param must be an integer');
  if (Number(text) < 0) throw badRequest('limit param must be positive');
  return Math.min(Number(text), largestLimit);
}

/** How many to leave out. @throws 400 */
export function offsetOf(text: string | undefined): number {
  if (text === undefined) return 0;
  if (!/^\s*[+-]?\d+\s*$/.test(text)) throw badRequest('offset must be an integer.');
  if (Number(text) < 0) throw badRequest('offset must be >= 0');
  if (Number(text) > largestInteger) throw badRequest(`offset must be <= ${largestInteger}`);
  return Number(text);
}

function sortOf(query: Query, { sortable }: Kind): Listing['sort'] {
  if (query.has('sort') && (query.has('sort_key') || query.has('sort_dir')))
    throw badRequest("The 'sort_key' and 'sort_dir' parameters are deprecated and cannot be used with the 'sort' parameter.");
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

function columnOf(key: string, sortable: Kind['sortable']): string {
  if (!Object.hasOwn(sortable, key)) throw invalidInput(`Sort key supplied is invalid: ${key}`);
  return sortable[key]!;
}

function directionOf(text: string): 'asc' | 'desc' {
  if (text !== 'asc' && text !== 'desc') throw invalidInput("Unknown sort direction, must be 'asc' or 'desc'.");
  return text;
}
