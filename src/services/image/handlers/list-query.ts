// Parses the query of a list of images. Upstream: index in glance/api/v2/images.py, and
// glance/db/sqlalchemy/api.py.
import { badRequest } from '../../../kernel/errors.ts';
import { parseIsoTime } from '../../../kernel/oslo/isotime.ts';
import { limitOf, type PageLimits } from '../../../kernel/oslo/paging.ts';
import type { Query } from '../../../kernel/query.ts';
import type { ListRequest } from '../domain/images.ts';
import type { Condition, SortKey } from '../store/images.ts';

const sortable: readonly SortKey[] = [
  'name',
  'status',
  'container_format',
  'disk_format',
  'size',
  'id',
  'created_at',
  'updated_at',
];
const visibilities = ['community', 'public', 'private', 'shared', 'all'];
const notFilters = new Set([
  'limit',
  'marker',
  'member_status',
  'tag',
  'sort',
  'sort_key',
  'sort_dir',
  'visibility',
  'changes-since',
]);

/** Columns that compare as text. */
const texts = new Set(['checksum', 'os_hash_algo', 'os_hash_value', 'owner']);
/** Columns that compare as numbers, also with `_min` and `_max`. */
const numbers = new Set(['size', 'virtual_size', 'min_disk', 'min_ram']);
/** Columns that support the operator `in:`. */
const listable = new Set(['name', 'id', 'status', 'container_format', 'disk_format']);

/** @throws 400 */
export function readListQuery(query: Query, limits: PageLimits): ListRequest {
  const visibility = query.last('visibility') || undefined;
  if (visibility !== undefined && !visibilities.includes(visibility))
    throw badRequest(`Invalid visibility value: ${visibility}`);
  if (query.last('changes-since'))
    throw badRequest('The "changes-since" filter is no longer available on v2.');
  const memberStatus = query.last('member_status') ?? 'accepted';
  if (!['pending', 'accepted', 'rejected', 'all'].includes(memberStatus))
    throw badRequest(`Invalid status: ${memberStatus}`);
  const names = query.names().filter((name) => !notFilters.has(name));
  const conditions = names.flatMap((name) => conditionsOf(name, query.last(name)!) ?? []);
  const hidden = names.includes('os_hidden')
    ? []
    : [{ column: 'os_hidden', operator: '=' as const, value: 0 }];
  const properties = names.filter((name) => conditionsOf(name, query.last(name)!) === undefined);
  return {
    memberStatus,
    visibility,
    conditions: [...hidden, ...conditions],
    properties: Object.fromEntries(properties.map((name) => [name, query.last(name)!])),
    tags: query.all('tag').map((tag) => tag.trim()),
    sort: sortOf(query),
    limit: limitOf(query, limits),
    marker: query.last('marker'),
  };
}

/** The conditions of a filter on a column; undefined for a filter on a property. */
function conditionsOf(name: string, text: string): Condition[] | undefined {
  const bound = /^(\w+)_(min|max)$/.exec(name);
  if (bound && numbers.has(bound[1]!))
    return [boundConditionOf(bound[1]!, bound[2] === 'min' ? '>=' : '<=', text)];
  if (listable.has(name)) return [listConditionOf(name, text)];
  if (numbers.has(name))
    return [{ column: name, operator: '=', value: /^-?\d+$/.test(text) ? Number(text) : -1 }];
  if (texts.has(name)) return [{ column: name, operator: '=', value: text }];
  if (name === 'protected' || name === 'os_hidden') return [booleanConditionOf(name, text)];
  if (name === 'created_at' || name === 'updated_at') return [timeConditionOf(name, text)];
  return undefined;
}

function boundConditionOf(column: string, operator: '>=' | '<=', text: string): Condition {
  if (!/^\s*[+-]?\d+\s*$/.test(text))
    throw badRequest('Unable to filter on a range with a non-numeric value.');
  return { column, operator, value: Number(text) };
}

function booleanConditionOf(column: string, text: string): Condition {
  const value = column === 'os_hidden' ? text.toLowerCase() : text;
  if (value !== 'true' && value !== 'false')
    throw badRequest(
      `Invalid value '${value}' for '${column}' filter. Valid values are 'true' or 'false'.`,
    );
  return { column, operator: '=', value: Number(value === 'true') };
}

/**
 * Splits a filter into the operator before the first colon, and the value. A value without an
 * operator may be a time, which contains colons, too.
 */
function operatorOf(text: string): readonly [operator: string, value: string] {
  const colon = text.indexOf(':');
  if (colon < 0 || parseIsoTime(text) !== undefined) return ['eq', text];
  return [text.slice(0, colon), text.slice(colon + 1)];
}

function listConditionOf(column: string, text: string): Condition {
  const [operator, value] = operatorOf(text);
  if (operator === 'in') return { column, operator: 'in', value: listOf(value) };
  if (operator === 'eq') return { column, operator: '=', value };
  throw badRequest(`Unable to filter by unknown operator '${operator}'.`);
}

const comparisons = { gt: '>', gte: '>=', lt: '<', lte: '<=', neq: '<>', eq: '=' } as const;

function timeConditionOf(column: string, text: string): Condition {
  const [operator, value] = operatorOf(text);
  const time = parseIsoTime(value);
  if (time === undefined)
    throw badRequest(`Bad "${column}" query filter format. Use ISO 8601 DateTime notation.`);
  if (!Object.hasOwn(comparisons, operator))
    throw badRequest(`Unable to filter by unknown operator '${operator}'.`);
  return { column, operator: comparisons[operator as keyof typeof comparisons], value: time };
}

/** Splits a comma-separated list. A quoted value may contain commas. @throws 400 */
function listOf(text: string): string[] {
  checkQuotes(text);
  return [...text.matchAll(/"([^"\\]*(?:\\.[^"\\]*)*)",?|([^,]+),?|,/g)].map(
    ([, quoted, plain]) => quoted || plain || '',
  );
}

function checkQuotes(text: string): void {
  let open = false;
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== '"' || text[at - 1] === '\\') continue;
    const adjacent = open ? text[at + 1] : text[at - 1];
    if (adjacent !== undefined && adjacent !== ',')
      throw badRequest(
        `Invalid filter value ${text}. There is no comma ` +
          `${open ? 'after closing' : 'before opening'} quotation mark.`,
      );
    open = !open;
  }
  if (open) throw badRequest(`Invalid filter value ${text}. The quote is not closed.`);
}

type Sort = ListRequest['sort'];

/**
 * Reads the sort keys, and appends creation time and id to order the rows with equal keys.
 */
function sortOf(query: Query): Sort {
  const given = query.has('sort') ? sortParameter(query) : sortKeysAndDirs(query);
  const direction = given.length ? given[0]!.direction : 'desc';
  const last = query.has('sort') && given.length > 1 ? 'desc' : direction;
  const rest = (['created_at', 'id'] as const).filter(
    (column) => !given.some((one) => one.column === column),
  );
  return [...given, ...rest.map((column) => ({ column, direction: last }))];
}

/** Parses the parameter `sort`, such as `name:asc,size`. */
function sortParameter(query: Query): Sort {
  if (query.has('sort_key') || query.has('sort_dir'))
    throw badRequest('Old and new sorting syntax cannot be combined');
  return query
    .last('sort')!
    .trim()
    .split(',')
    .map((part) => {
      const [key = '', direction = ''] = part.split(/:(.*)/s);
      return { column: sortKeyOf(key), direction: directionOf(direction || 'desc') };
    });
}

/** Parses the older parameters `sort_key` and `sort_dir`, which may be repeated. */
function sortKeysAndDirs(query: Query): Sort {
  const columns = query.all('sort_key').map(sortKeyOf);
  const directions = query.all('sort_dir').map(directionOf);
  if (directions.length > 1 && directions.length !== columns.length)
    throw badRequest('Number of sort dirs does not match the number of sort keys');
  if (!columns.length) columns.push('created_at');
  return columns.map((column, index) => ({
    column,
    direction: directions[index] ?? directions[0] ?? 'desc',
  }));
}

function sortKeyOf(text: string): SortKey {
  const column = sortable.find((one) => one === text.trim());
  if (!column)
    throw badRequest(
      `Invalid sort key: ${text.trim()}. It must be one of the following: ${sortable.join(', ')}.`,
    );
  return column;
}

function directionOf(text: string): 'asc' | 'desc' {
  const direction = text.trim();
  if (direction !== 'asc' && direction !== 'desc')
    throw badRequest(`Invalid sort direction: ${direction}`);
  return direction;
}
