// Keyset paging: a list in an order of several columns, and the part of it that comes after a row.
import type { Knex } from 'knex';

/** One column of the order. The last one must tell all rows apart. */
export interface SortColumn {
  /** As the query names it, such as `volume_volumes.size` or `i.name`. */
  readonly column: string;
  readonly descending: boolean;
  /**
   * The value that stands for null. Without it, null comes before every value, as both databases
   * have it.
   */
  readonly fill?: string | number | undefined;
}

/**
 * Puts a query in order. With `values`, those of a row in the order of the columns, it begins
 * behind that row.
 */
export function orderBy(
  query: Knex.QueryBuilder,
  columns: readonly SortColumn[],
  values?: readonly (string | number | null)[],
): void {
  // A column that comes again decides nothing, and a client may name it thousands of times.
  const places = new Map(columns.map(({ column }, index) => [column, index] as const).toReversed());
  const isFirst = ({ column }: SortColumn, index: number): boolean => places.get(column) === index;
  const order = columns.filter(isFirst);
  const after = values?.filter((_, index) => isFirst(columns[index]!, index));
  for (const { column, descending, fill } of order) {
    const direction = descending ? 'desc' : 'asc';
    if (fill === undefined) void query.orderBy(column, direction);
    else void query.orderByRaw(`coalesce(??, ?) ${direction}`, [column, fill]);
  }
  if (!after) return;
  void query.where((either) => {
    order.forEach((sort, index) => {
      void either.orWhere((all) => {
        order.slice(0, index).forEach((same, at) => equal(all, same, after[at]!));
        beyond(all, sort, after[index]!);
      });
    });
  });
}

function equal(
  query: Knex.QueryBuilder,
  { column, fill }: SortColumn,
  value: string | number | null,
): void {
  if (fill !== undefined) void query.whereRaw('coalesce(??, ?) = ?', [column, fill, value ?? fill]);
  else if (value === null) void query.whereNull(column);
  else void query.where(column, value);
}

function beyond(
  query: Knex.QueryBuilder,
  { column, descending, fill }: SortColumn,
  value: string | number | null,
): void {
  if (fill !== undefined) {
    void query.whereRaw(`coalesce(??, ?) ${descending ? '<' : '>'} ?`, [
      column,
      fill,
      value ?? fill,
    ]);
  } else if (value === null) {
    // Null comes first: nothing is less, and every value is more.
    if (descending) void query.whereRaw('1 = 0');
    else void query.whereNotNull(column);
  } else if (descending) {
    void query.where((less) => void less.where(column, '<', value).orWhereNull(column));
  } else {
    void query.where(column, '>', value);
  }
}
