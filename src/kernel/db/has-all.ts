// Filters lists by tags, properties or metadata: a row must have all that a client names, however
// many those are.
import type { Knex } from 'knex';
import type { Db } from './database.ts';

/**
 * A table of tags, properties or the like. `id` is the column with the id of the row they belong
 * to; `columns` identify one of them within that row.
 */
export interface ChildTable {
  readonly name: string;
  readonly id: string;
  readonly columns: readonly string[];
}

/**
 * Selects the ids that have all of `wanted`. Each element has a value for each of the table's
 * columns; duplicates count once.
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
 * Restricts a query to the rows whose `column` is such an id, or not at all if nothing is wanted.
 * It adds a single condition, because SQLite rejects expressions with a thousand.
 */
export function whereHasAll(
  db: Db,
  query: Knex.QueryBuilder,
  column: string,
  children: ChildTable,
  wanted: readonly (readonly string[])[],
): void {
  if (wanted.length) void query.whereIn(column, idsWithAll(db, children, wanted));
}
