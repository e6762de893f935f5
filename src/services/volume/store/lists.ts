// What the lists of all tables have in common: filters, an order, and the row that a page begins
// after.
import type { Knex } from 'knex';
import type { Db } from '../../../kernel/db/database.ts';
import { whereHasAll, type ChildTable } from '../../../kernel/db/has-all.ts';
import { orderBy, type SortColumn } from '../../../kernel/db/keyset.ts';

/**
 * A filter. `like` and `contains` look for a part of the value, `like` in any case; `never` matches
 * no row.
 */
export interface Condition {
  readonly column: string;
  readonly operator: '=' | '<>' | '<' | '<=' | '>' | '>=' | 'like' | 'contains' | 'never';
  readonly value: string | number | null;
}

/** The filters of a list. */
export interface Filters {
  /** Undefined for all projects. */
  readonly projectId: string | undefined;
  readonly conditions: readonly Condition[];
  readonly metadata: Readonly<Record<string, string>>;
}

/** A row's columns, by their names. */
export type ColumnValues = Readonly<Record<string, unknown>>;

/** A page of a list. */
export interface Listing extends Filters {
  readonly sort: readonly { readonly column: string; readonly direction: 'asc' | 'desc' }[];
  /** The row before the page. */
  readonly after: ColumnValues | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** A page as a request asks for it: `marker` is the id of the row before the page. */
export interface ListRequest extends Omit<Listing, 'projectId' | 'after'> {
  readonly marker: string | undefined;
  readonly allTenants: boolean;
  readonly withCount: boolean;
}

const metadataTable: ChildTable = {
  name: 'volume_metadata',
  id: 'subject_id',
  columns: ['name', 'value'],
};

/** Adds the filters to a query. */
export function filter(
  db: Db,
  query: Knex.QueryBuilder,
  table: string,
  { projectId, conditions, metadata }: Filters,
): void {
  if (projectId !== undefined) void query.where(`${table}.project_id`, projectId);
  if (conditions.some(({ operator }) => operator === 'never')) return void query.whereRaw('1 = 0');
  for (const { column, operator, value } of conditions) {
    if (value === null) void query.whereNull(`${table}.${column}`);
    else if (operator === 'contains')
      void query.whereRaw(`instr(${table}.${column}, ?) > 0`, [value]);
    else if (operator === 'like')
      void query.whereRaw(`instr(lower(${table}.${column}), lower(?)) > 0`, [value]);
    else void query.where(`${table}.${column}`, operator, value);
  }
  whereHasAll(db, query, `${table}.id`, metadataTable, Object.entries(metadata));
}

const numbers: ReadonlySet<string> = new Set([
  'size',
  'created_at',
  'updated_at',
  'attached_at',
  'bootable',
  'multiattach',
]);

/** Puts a query in order, and limits it to the page. */
export function page(
  query: Knex.QueryBuilder,
  table: string,
  { sort, after, limit, offset }: Listing,
): void {
  const order = sort.map(({ column, direction }): SortColumn => ({
    column: `${table}.${column}`,
    descending: direction === 'desc',
    fill: numbers.has(column) ? -1 : '',
  }));
  orderBy(
    query,
    order,
    after && sort.map(({ column }) => (after[column] ?? null) as string | number | null),
  );
  void query.limit(limit).offset(offset);
}

/** A number of volumes or snapshots, and their size together in GiB. */
export interface Counted {
  readonly count: number;
  readonly size: number;
}

/** Counts the rows of a table that match the filters. */
export async function countListed(db: Db, table: string, filters: Filters): Promise<Counted> {
  const query = db(table).count('* as count').sum('size as size');
  filter(db, query, table, filters);
  const [row] = (await query) as { count: number; size: number | null }[];
  return { count: Number(row!.count), size: Number(row!.size ?? 0) };
}
