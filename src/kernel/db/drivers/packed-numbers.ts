// Reads a column of numbers as one text, which takes a third of the time of as many rows.
import type { Knex } from 'knex';
import type { Db } from '../database.ts';

/**
 * Reads a column of the rows of a query, in the order of other columns. The values are neither NULL
 * nor texts.
 */
export async function packedNumbers(
  db: Db,
  query: Knex.QueryBuilder,
  column: string,
  order: readonly string[],
): Promise<number[]> {
  // SQLite sorts again for an ORDER BY within GROUP_CONCAT, even if an index has the order. MySQL
  // ignores that of a subquery.
  const isSqlite = (db.client as { driverName?: string }).driverName === 'node:sqlite';
  const packed: Knex.QueryBuilder = isSqlite
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
  const [row] = (await packed) as { packed: string | Buffer | null }[];
  return row!.packed === null ? [] : String(row!.packed).split(',').map(Number);
}
