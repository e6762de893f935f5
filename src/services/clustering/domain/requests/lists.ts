// The queries of lists: which parameters there are, and in which words others are refused.
import { isUuidLike } from '../../../../kernel/ids.ts';
import type { SortColumn } from '../../../../kernel/db/keyset.ts';
import { boolFromString } from '../../../../kernel/oslo/booleans.ts';
import type { Query } from '../../../../kernel/query.ts';
import type { Actor } from '../../../../kernel/model.ts';
import type { Listing } from '../../store/index.ts';
import { forbiddenHere, invalid } from '../refusals.ts';

/** What a collection may be asked for. */
export interface Collection {
  /** Parameter -> column. */
  readonly filters: Readonly<Record<string, string>>;
  /** Filters whose values are of a set. */
  readonly enums?: Readonly<Record<string, readonly string[]>>;
  /** Sort key -> column. */
  readonly sorts: Readonly<Record<string, string>>;
  /** The column of the order, where none is asked for. */
  readonly order: string;
  /** Quotes around the name of a parameter that is not known, as clusters have them. */
  readonly quotes?: boolean;
  readonly unpaged?: boolean;
}

/** Reads the query of a list. @throws 400, 403 */
export function readList(collection: Collection, query: Query, actor: Actor): Listing {
  const { filters, quotes, unpaged } = collection;
  const common = unpaged ? ['sort'] : ['limit', 'marker', 'sort', 'global_project'];
  for (const name of query.names()) {
    if (!Object.hasOwn(filters, name) && !common.includes(name))
      throw invalid(`Invalid parameter ${quotes ? `'${name}'` : name}`);
  }
  const isGlobal = unpaged ? false : boolParameter(query, 'global_project', false);
  const limit = limitOf(query);
  const sort = sortOf(collection, query.last('sort'));
  const values = Object.fromEntries(
    Object.entries(filters)
      .filter(([name]) => query.has(name))
      .map(([name, column]) => [column, query.all(name)]),
  );
  for (const [name, allowed] of Object.entries(collection.enums ?? {})) {
    const alien = query.all(name).find((value) => !allowed.includes(value));
    if (alien !== undefined) throw invalid(`Field value ${alien} is invalid`);
  }
  const marker = query.last('marker');
  if (marker !== undefined && !isUuidLike(marker))
    throw invalid(`The value for marker is not a valid UUID: '${marker}'.`);
  if (isGlobal && !actor.isAdmin) throw forbiddenHere();
  return {
    projectId: actor.isAdmin ? undefined : (actor.projectId ?? ''),
    filters: values,
    sort,
    limit,
    marker,
  };
}

/** A truth value in a query. @throws 400 */
export function boolParameter(query: Query, name: string, otherwise: boolean): boolean {
  const value = query.last(name);
  if (value === undefined) return otherwise;
  const found = boolFromString(value);
  if (found === undefined) throw invalid(`Invalid value '${value}' specified for '${name}'`);
  return found;
}

function limitOf(query: Query): number | undefined {
  const text = query.last('limit');
  if (text === undefined) return undefined;
  if (!/^\s*[+-]?\d{1,15}\s*$/.test(text))
    throw invalid(`The value for limit must be an integer: '${text}'.`);
  if (Number(text) < 0) throw invalid("Value must be >= 0 for field 'limit'.");
  return Math.min(Number(text), 1_000_000);
}

function sortOf({ sorts, order }: Collection, text: string | undefined): SortColumn[] {
  const columns =
    text === undefined
      ? [{ column: order, descending: false }]
      : text.split(',').map((part) => sortColumn(sorts, part));
  const seen = new Set<string>();
  const once = columns.filter(({ column }) => !seen.has(column) && seen.add(column));
  return [...once, { column: 'id', descending: false }];
}

function sortColumn(sorts: Collection['sorts'], part: string): SortColumn {
  const [key = '', direction = 'asc'] = part.split(':', 2);
  if (!key) throw invalid("Missing sort key for 'sort'.");
  if (!Object.hasOwn(sorts, key)) throw invalid(`Unsupported sort key '${key}' for 'sort'.`);
  if (direction !== 'asc' && direction !== 'desc')
    throw invalid(`Unsupported sort dir '${direction}' for 'sort'.`);
  return { column: sorts[key]!, descending: direction === 'desc' };
}
