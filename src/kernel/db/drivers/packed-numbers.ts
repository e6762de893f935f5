// Reads a column of numbers as one text, which takes a third of the time of as many rows.
import type { Knex } from 'knex';
import { isSqlite, type Db } from '../database.ts';

/**
 * Packs a column of the rows of a query, in the order of other columns. The values are neither NULL
 * nor texts. Unpack the result with `unpacked`.
 */
export function packed(
  db: Db,
  query: Knex.QueryBuilder,
  column: string,
  order: readonly string[],
): Knex.QueryBuilder {
  // SQLite sorts again for an ORDER BY within GROUP_CONCAT, even if an index has the order. MySQL
  // ignores that of a subquery.
  return isSqlite(db)
    ? db
        .from(
          query
            .select(column)
            .orderBy([...order])
            .as('ordered'),
        )
        .select(db.raw('GROUP_CONCAT(??) AS packed', [column]))
    : query.select(
        db.raw(`GROUP_CONCAT(?? ORDER BY ${order.map(() => '??').join(', ')}) AS packed`, [
          column,
          ...order,
        ]),
      );
}

/** A row with packed numbers. */
export interface Packed {
  readonly packed: string | Buffer | null;
}

export const unpacked = ([row]: readonly Packed[]): number[] =>
  row!.packed === null ? [] : String(row!.packed).split(',').map(Number);
