// Keyset pagination: orders a query by several columns, and starts it after a given row.
import type { Knex } from 'knex';

/** A column to sort by. The values of all of them together must be unique. */
export interface SortColumn {
  /** The column's name in the query, such as `volume_volumes.size` or `i.name`. */
  readonly column: string;
  readonly descending: boolean;
  /** The value that NULL sorts as. Without it, NULL sorts before every value on both databases. */
  readonly fill?: string | number | undefined;
}

/**
 * Orders a query. With `values`, those of a row in the order of the columns, its result begins
 * after that row.
 */
export function orderBy(
  query: Knex.QueryBuilder,
  columns: readonly SortColumn[],
  values?: readonly (string | number | null)[],
): void {
  // A repeated column has no effect, and a client may name it thousands of times.
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
    // NULL sorts first, so no row precedes it, and every value follows it.
    if (descending) void query.whereRaw('1 = 0');
    else void query.whereNotNull(column);
  } else if (descending) {
    void query.where((less) => void less.where(column, '<', value).orWhereNull(column));
  } else {
    void query.where(column, '>', value);
  }
}
