// Reads the queries of lists.
import type { Field } from '../../../../kernel/db/columns.ts';
import type { Filter, Sort } from '../../../../kernel/db/listing.ts';
import { isUuidLike } from '../../../../kernel/ids.ts';
import type { Actor } from '../../../../kernel/model.ts';
import { boolFromString } from '../../../../kernel/oslo/booleans.ts';
import type { Query } from '../../../../kernel/query.ts';
import type { Page } from '../../store/index.ts';
import { forbiddenHere, invalid } from '../refusals.ts';

/** The parameters that the list of a collection accepts. */
export interface Collection<T> {
  /** The fields to filter by, by parameter. */
  readonly filters: Readonly<Record<string, Field<T> | undefined>>;
  /** The valid values of filters that accept only some. */
  readonly enums?: Readonly<Record<string, readonly string[]>>;
  /** The fields to sort by, by sort key. */
  readonly sorts: Readonly<Record<string, Field<T>>>;
  /** The default field to sort by. */
  readonly order: Field<T>;
  /** Whether the message about an unknown parameter quotes its name, as it does for clusters. */
  readonly quotes?: boolean;
  readonly unpaged?: boolean;
}

/** Reads the query of a list. @throws 400, 403 */
export function readList<T>(collection: Collection<T>, query: Query, actor: Actor): Page<T> {
  const { filters, quotes, unpaged } = collection;
  const common = unpaged ? ['sort'] : ['limit', 'marker', 'sort', 'global_project'];
  for (const name of query.names()) {
    if (!Object.hasOwn(filters, name) && !common.includes(name))
      throw invalid(`Invalid parameter ${quotes ? `'${name}'` : name}`);
  }
  const isGlobal = unpaged ? false : boolParameter(query, 'global_project', false);
  const limit = readLimit(query);
  const sort = readSort(collection, query.last('sort'));
  const where = Object.entries(filters)
    .filter(([name, field]) => field !== undefined && query.has(name))
    .map(([name, field]) => [field, query.all(name)]);
  for (const [name, allowed] of Object.entries(collection.enums ?? {})) {
    const unknown = query.all(name).find((value) => !allowed.includes(value));
    if (unknown !== undefined) throw invalid(`Field value ${unknown} is invalid`);
  }
  const marker = query.last('marker');
  if (marker !== undefined && !isUuidLike(marker))
    throw invalid(`The value for marker is not a valid UUID: '${marker}'.`);
  if (isGlobal && !actor.isAdmin) throw forbiddenHere();
  const projectId = actor.isAdmin ? undefined : (actor.projectId ?? '');
  return {
    where: { projectId, ...Object.fromEntries(where) } as Filter<T>,
    sort,
    limit,
    marker,
  };
}

/** Reads a boolean of a query. @throws 400 */
export function boolParameter(query: Query, name: string, otherwise: boolean): boolean {
  const value = query.last(name);
  if (value === undefined) return otherwise;
  const found = boolFromString(value);
  if (found === undefined) throw invalid(`Invalid value '${value}' specified for '${name}'`);
  return found;
}

function readLimit(query: Query): number | undefined {
  const text = query.last('limit');
  if (text === undefined) return undefined;
  if (!/^\s*[+-]?\d{1,15}\s*$/.test(text))
    throw invalid(`The value for limit must be an integer: '${text}'.`);
  if (Number(text) < 0) throw invalid("Value must be >= 0 for field 'limit'.");
  return Math.min(Number(text), 1_000_000);
}

const readSort = <T>({ sorts, order }: Collection<T>, text: string | undefined): Sort<T>[] =>
  text === undefined ? [{ field: order }] : text.split(',').map((part) => readSortKey(sorts, part));

function readSortKey<T>(sorts: Collection<T>['sorts'], part: string): Sort<T> {
  const [key = '', direction = 'asc'] = part.split(':', 2);
  if (!key) throw invalid("Missing sort key for 'sort'.");
  if (!Object.hasOwn(sorts, key)) throw invalid(`Unsupported sort key '${key}' for 'sort'.`);
  if (direction !== 'asc' && direction !== 'desc')
    throw invalid(`Unsupported sort dir '${direction}' for 'sort'.`);
  return { field: sorts[key]!, descending: direction === 'desc' };
}
