// Deletes the rows that belong to some owners, from the tables of several resources.
import type { Db } from './database.ts';
import { Recurring } from './drivers/recurring.ts';

const recurring = new Recurring();

/** Databases limit the number of parameters of a statement. */
const valuesPerQuery = 500;

/** Splits values into lists that fit into one statement. */
export function* batchesOf<T>(values: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < values.length; at += valuesPerQuery)
    yield values.slice(at, at + valuesPerQuery);
}

/** Reads a column of the rows in which another column has one of the values. */
export async function valuesWhere(
  db: Db,
  table: string,
  column: string,
  values: readonly (string | number)[],
  wanted = 'id',
): Promise<string[]> {
  const found: string[] = [];
  for (const batch of batchesOf(values)) {
    const name = `${wanted} of ${table} by ${batch.length} ${column}`;
    const plucked = await recurring.statement<Record<string, string>[]>(db, name, batch, (given) =>
      db(table).whereIn(column, given).select(wanted),
    );
    for (const row of plucked) found.push(row[wanted]!);
  }
  return found;
}

/** Deletes the rows in which a column has one of the values. @returns how many */
export async function deleteWhere(
  db: Db,
  table: string,
  column: string,
  values: readonly (string | number)[],
): Promise<number> {
  let count = 0;
  for (const batch of batchesOf(values))
    count += await recurring.statement<number>(
      db,
      `delete from ${table} by ${batch.length} ${column}`,
      batch,
      (given) => db(table).whereIn(column, given).delete(),
    );
  return count;
}

/**
 * Deletes the rows in which a column has one of the values by their ids, so that a statement locks
 * only those rows even if the column has no index.
 * @returns how many
 */
export async function deleteByIdWhere(
  db: Db,
  table: string,
  column: string,
  values: readonly (string | number)[],
  id = 'id',
): Promise<number> {
  return deleteWhere(db, table, id, await valuesWhere(db, table, column, values, id));
}
