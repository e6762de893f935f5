// What the lists of all resources have in common: filters, an order and a page.
import type { Knex } from 'knex';
import type { Field } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { whereHasAll, type ChildTable } from '../../../kernel/db/has-all.ts';
import type { Condition, Sort } from '../../../kernel/db/listing.ts';
import type { Table } from '../../../kernel/db/table.ts';

/**
 * Compares a field with a value. `like` and `contains` search for a substring: `like` ignores case,
 * `contains` does not.
 */
export interface Comparison<T> {
  readonly field: Field<T>;
  readonly operator: '=' | '<>' | '<' | '<=' | '>' | '>=' | 'like' | 'contains';
  readonly value: string | number | null;
}

/** The filters of a list. All of them hold. */
export interface Filters<T> {
  /** Undefined for all projects. */
  readonly projectId: string | undefined;
  /** `never` matches no record. */
  readonly conditions: readonly (Comparison<T> | 'never')[];
  /** Metadata that a record must have. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** A page of a list. */
export interface Page<T> extends Filters<T> {
  readonly sort: readonly Sort<T>[];
  /** The last record of the previous page. */
  readonly after: T | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** A page that a client requests: `marker` is the id of the last record of the previous page. */
export interface ListRequest<T> extends Omit<Page<T>, 'projectId' | 'after'> {
  readonly marker: string | undefined;
  readonly allTenants: boolean;
  readonly withCount: boolean;
}

const metadataTable: ChildTable = {
  name: 'volume_metadata',
  id: 'subject_id',
  columns: ['name', 'value'],
};

/** Restricts a query to the records of a table that match the filters. */
export const matching =
  <T extends { readonly id: string }>(
    db: Db,
    table: Table<T>,
    { projectId, conditions, metadata }: Filters<T>,
  ): Condition =>
  (query) => {
    if (projectId !== undefined) void query.where(`${table.name}.project_id`, projectId);
    for (const condition of conditions) {
      if (condition === 'never') return void query.whereRaw('1 = 0');
      const { field, operator, value } = condition;
      const column = table.column(field);
      if (value === null) void query.whereNull(column);
      else if (operator === 'contains') void query.whereRaw('instr(??, ?) > 0', [column, value]);
      else if (operator === 'like')
        void query.whereRaw('instr(lower(??), lower(?)) > 0', [column, value]);
      else void query.where(column, operator, value);
    }
    whereHasAll(db, query, `${table.name}.id`, metadataTable, Object.entries(metadata));
  };

/**
 * The values that NULL sorts as, in the fields that can be NULL. Text sorts before all other text,
 * numbers before all other numbers.
 */
const nullSortsAs: Readonly<Record<string, string | number>> = {
  name: '',
  description: '',
  availabilityZone: '',
  host: '',
  migrationStatus: '',
  snapshotId: '',
  parentId: '',
  container: '',
  dataTimestamp: -1,
  updatedAt: -1,
};

/** Lists a page of the records of a table. `restrict` adds a condition of one resource. */
export const listPage = <T extends { readonly id: string }>(
  db: Db,
  table: Table<T>,
  { sort, after, limit, offset, ...filters }: Page<T>,
  restrict: Condition = () => {},
): Promise<T[]> =>
  table.list(db, {
    conditions: [matching(db, table, filters), restrict],
    sort: sort.map((one) => ({ ...one, fill: nullSortsAs[one.field] })),
    after,
    limit,
    offset,
  });

/** A number of volumes or snapshots, and their total size in GiB. */
export interface CountAndSize {
  readonly count: number;
  readonly size: number;
}

/** Counts the records of a table that match the filters, and adds up their sizes. */
export async function countAndSize<T extends { readonly id: string; readonly size: number }>(
  db: Db,
  table: Table<T>,
  filters: Filters<T>,
): Promise<CountAndSize> {
  const query: Knex.QueryBuilder = db(table.name).count('* as count').sum('size as size');
  matching(db, table, filters)(query);
  const [total] = (await query) as SumRow[];
  return { count: Number(total!.count), size: Number(total!.size ?? 0) };
}

/** A row with a sum, which is NULL if nothing was added up. MySQL's driver returns sums as text. */
export interface SumRow {
  readonly count: number;
  readonly size: number | string | null;
}
