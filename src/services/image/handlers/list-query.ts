// What the query of a list of images asks for. Upstream: glance/api/v2/images.py and glance/db/sqlalchemy/api.py.
import { parseTime } from '../../../kernel/clock.ts';
import { badRequest } from '../../../kernel/fault.ts';
import type { Query } from '../../../kernel/query.ts';
import type { Column, Condition, ImageQuery } from '../store/images.ts';

const defaultLimit = 25;
const largestLimit = 1000;
const sortable: readonly Column[] = [
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

/** Columns that are compared as they are, and those that hold numbers. */
const texts = new Set(['checksum', 'os_hash_algo', 'os_hash_value', 'owner']);
const numbers = new Set(['size', 'virtual_size', 'min_disk', 'min_ram']);
const listed = new Set(['name', 'id', 'status', 'container_format', 'disk_format']);

export type Asked = Omit<ImageQuery, 'viewer' | 'after'> & { readonly marker: string | undefined };

/** Reads the query. @throws 400 */
export function readListQuery(query: Query): Asked {
  const visibility = query.last('visibility') || undefined;
  if (visibility !== undefined && !visibilities.includes(visibility)) throw badRequest(`Invalid visibility value: ${visibility}`);
  if (query.last('changes-since')) throw badRequest('The "changes-since" filter is no longer available on v2.');
  const memberStatus = query.last('member_status') ?? 'accepted';
  if (!['pending', 'accepted', 'rejected', 'all'].includes(memberStatus)) throw badRequest(`Invalid status: ${memberStatus}`);
  const names = query.names().filter((name) => !notFilters.has(name));
  const conditions = names.flatMap((name) => conditionsOf(name, query.last(name)!) ?? []);
  const hidden = names.includes('os_hidden') ? [] : [{ column: 'os_hidden', operator: '=' as const, value: 0 }];
  const properties = names.filter((name) => conditionsOf(name, query.last(name)!) === undefined);
  return {
    memberStatus,
    visibility,
    conditions: [...hidden, ...conditions],
    properties: Object.fromEntries(properties.map((name) => [name, query.last(name)!])),
    tags: query.all('tag').map((tag) => tag.trim()),
    sort: sortOf(query),
    limit: limitOf(query.last('limit')),
    marker: query.last('marker'),
  };
}

function limitOf(text: string | undefined): number {
  if (text === undefined) return defaultLimit;
  if (!/^\s*[+-]?\d+\s*$/.test(text)) throw badRequest('limit param must be an integer');
  if (Number(text) < 0) throw badRequest('limit param must be positive');
  return Math.min(largestLimit, Number(text));
}

/** What a filter asks of the image itself; undefined where it is about a property. */
function conditionsOf(name: string, text: string): Condition[] | undefined {
  const bound = /^(\w+)_(min|max)$/.exec(name);
  if (bound && numbers.has(bound[1]!)) return [boundOf(bound[1]!, bound[2] === 'min' ? '>=' : '<=', text)];
  if (listed.has(name)) return [listedOf(name, text)];
  if (numbers.has(name)) return [{ column: name, operator: '=', value: /^-?\d+$/.test(text) ? Number(text) : -1 }];
  if (texts.has(name)) return [{ column: name, operator: '=', value: text }];
  if (name === 'protected' || name === 'os_hidden') return [truthOf(name, text)];
  if (name === 'created_at' || name === 'updated_at') return [timeOf(name, text)];
  return undefined;
}

function boundOf(column: string, operator: '>=' | '<=', text: string): Condition {
  if (!/^\s*[+-]?\d+\s*$/.test(text)) throw badRequest('Unable to filter on a range with a non-numeric value.');
  return { column, operator, value: Number(text) };
}

function truthOf(column: string, text: string): Condition {
  const value = column === 'os_hidden' ? text.toLowerCase() : text;
  if (value !== 'true' && value !== 'false')
    throw badRequest(`Invalid value '${value}' for '${column}' filter. Valid values are 'true' or 'false'.`);
  return { column, operator: '=', value: Number(value === 'true') };
}

/** An operator before a colon; a time has colons of its own. */
function operatorOf(text: string): readonly [operator: string, value: string] {
  const colon = text.indexOf(':');
  if (colon < 0 || (/T/.test(text.slice(0, colon)) && parseTime(text) !== undefined)) return ['eq', text];
  return [text.slice(0, colon), text.slice(colon + 1)];
}

function listedOf(column: string, text: string): Condition {
  const [operator, value] = operatorOf(text);
  if (operator === 'in') return { column, operator: 'in', value: listOf(value) };
  if (operator === 'eq') return { column, operator: '=', value };
  throw badRequest(`Unable to filter by unknown operator '${operator}'.`);
}

const comparisons = { gt: '>', gte: '>=', lt: '<', lte: '<=', neq: '<>', eq: '=' } as const;

function timeOf(column: string, text: string): Condition {
  const [operator, value] = operatorOf(text);
  const time = value.includes('T') ? parseTime(value) : undefined;
  if (time === undefined) throw badRequest(`Bad "${column}" query filter format. Use ISO 8601 DateTime notation.`);
  if (!Object.hasOwn(comparisons, operator)) throw badRequest(`Unable to filter by unknown operator '${operator}'.`);
  return { column, operator: comparisons[operator as keyof typeof comparisons], value: time };
}

/** Values between commas; quotes keep commas together. @throws 400 */
function listOf(text: string): string[] {
  checkQuotes(text);
  return [...text.matchAll(/"([^"\\]*(?:\\.[^"\\]*)*)",?|([^,]+),?|,/g)].map(([, quoted, plain]) => quoted || plain || '');
}

function checkQuotes(text: string): void {
  let open = false;
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== '"' || text[at - 1] === '\\') continue;
    const neighbour = open ? text[at + 1] : text[at - 1];
    if (neighbour !== undefined && neighbour !== ',')
      throw badRequest(
        `Invalid filter value ${text}. There is no comma ${open ? 'after closing' : 'before opening'} quotation mark.`,
      );
    open = !open;
  }
  if (open) throw badRequest(`Invalid filter value ${text}. The quote is not closed.`);
}

type Sort = ImageQuery['sort'];

/** The order; by age, newest first, where nothing else decides. */
function sortOf(query: Query): Sort {
  const given = query.has('sort') ? newSort(query) : oldSort(query);
  const direction = given.length ? given[0]!.direction : 'desc';
  const last = query.has('sort') && given.length > 1 ? 'desc' : direction;
  const rest = (['created_at', 'id'] as const).filter((column) => !given.some((one) => one.column === column));
  return [...given, ...rest.map((column) => ({ column, direction: last }))];
}

function newSort(query: Query): Sort {
  if (query.has('sort_key') || query.has('sort_dir')) throw badRequest('Old and new sorting syntax cannot be combined');
  return query
    .last('sort')!
    .trim()
    .split(',')
    .map((part) => {
      const [key = '', direction = ''] = part.split(/:(.*)/s);
      return { column: columnOf(key), direction: directionOf(direction || 'desc') };
    });
}

function oldSort(query: Query): Sort {
  const columns = query.all('sort_key').map(columnOf);
  const directions = query.all('sort_dir').map(directionOf);
  if (directions.length > 1 && directions.length !== columns.length)
    throw badRequest('Number of sort dirs does not match the number of sort keys');
  if (!columns.length) columns.push('created_at');
  return columns.map((column, index) => ({ column, direction: directions[index] ?? directions[0] ?? 'desc' }));
}

function columnOf(text: string): Column {
  const column = sortable.find((one) => one === text.trim());
  if (!column) throw badRequest(`Invalid sort key: ${text.trim()}. It must be one of the following: ${sortable.join(', ')}.`);
  return column;
}

function directionOf(text: string): 'asc' | 'desc' {
  const direction = text.trim();
  if (direction !== 'asc' && direction !== 'desc') throw badRequest(`Invalid sort direction: ${direction}`);
  return direction;
}
