// Narrowing a list to rows that have all of some tags, properties or metadata, however many of them
// a client names.
import type { Knex } from 'knex';
import type { Db } from './database.ts';

/**
 * A table of what rows have: `id` is the column that names the row; `columns` tell one thing that
 * it has from another.
 */
export interface ChildTable {
  readonly name: string;
  readonly id: string;
  readonly columns: readonly string[];
}

/**
 * The ids of what has all of `wanted`, values in the order of the table's columns. What is wanted
 * twice counts once.
 */
export function idsWithAll(
  db: Db,
  { name, id, columns }: ChildTable,
  wanted: readonly (readonly string[])[],
): Knex.QueryBuilder {
  const distinct = [
    ...new Map(wanted.map((values) => [JSON.stringify(values), [...values]])).values(),
  ];
  return db(name)
    .whereIn([...columns], distinct)
    .groupBy(id)
    .havingRaw('count(*) = ?', [distinct.length])
    .select(id);
}

/**
 * Narrows a query to the rows whose `column` is such an id; where nothing is wanted, all stay. It
 * is one condition: SQLite refuses an expression of a thousand.
 */
export function whereHasAll(
  db: Db,
  query: Knex.QueryBuilder,
  column: string,
  belongings: ChildTable,
  wanted: readonly (readonly string[])[],
): void {
  if (wanted.length) void query.whereIn(column, idsWithAll(db, belongings, wanted));
}
