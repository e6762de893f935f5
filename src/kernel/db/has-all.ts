// Narrowing a list to rows that have all of some tags, properties or metadata, however many of them a client names.
import type { Knex } from 'knex';
import type { Db } from './database.ts';

/** A table of what rows have: `id` is the column that names the row; `columns` tell one thing that it has from another. */
export interface Belongings {
  readonly name: string;
  readonly id: string;
  readonly columns: readonly string[];
}

/**
 * Narrows a query to the rows whose `column` is the id of something that has all of `wanted`, values in the order of the table's columns.
 * It is one condition: SQLite refuses an expression of a thousand.
 */
export function whereHasAll(
  db: Db,
  query: Knex.QueryBuilder,
  column: string,
  { name, id, columns }: Belongings,
  wanted: readonly (readonly string[])[],
): void {
  const distinct = [...new Map(wanted.map((values) => [JSON.stringify(values), [...values]])).values()];
  if (!distinct.length) return;
  const matching = db(name)
    .whereIn([...columns], distinct)
    .groupBy(id)
    .havingRaw('count(*) = ?', [distinct.length])
    .select(id);
  void query.whereIn(column, matching);
}
