// The SQLite connection of a pool or of a transaction, for what Knex has no way to do.
import type { Db } from '../database.ts';
import { loadDriver } from './sqlite-driver.ts';
import type { TableWrites } from './table-writes.ts';

/** A connection of the driver. */
export interface SqliteConnection {
  /** How many images it has taken, so that each has a name of its own. */
  images: number;
  /** The tables that it has written by Knex's statements. */
  readonly writes: TableWrites;
  prepare(sql: string): {
    all(...values: readonly unknown[]): unknown[];
    run(...values: readonly unknown[]): unknown;
  };
  exec(sql: string): void;
}

interface Pool {
  acquireConnection(): Promise<SqliteConnection>;
  releaseConnection(connection: SqliteConnection): Promise<void>;
}

/** The connection of a transaction. */
export async function connectionOf(trx: Db): Promise<SqliteConnection> {
  if (!trx.isTransaction) throw new Error('A connection of its own needs a transaction.');
  return (trx.client as unknown as Pool).acquireConnection();
}

/** Runs a function on the connection of a pool. SQLite has one, so nothing else runs meanwhile. */
export async function withConnection<T>(
  { client }: Db,
  run: (connection: SqliteConnection) => Promise<T> | T,
): Promise<T> {
  const pool = client as unknown as Pool;
  const connection = await pool.acquireConnection();
  try {
    return await run(connection);
  } finally {
    await pool.releaseConnection(connection);
  }
}

/** More pages than a database has, so that they are copied in one step. */
const allPages = 2 ** 31 - 1;

/** Copies a database into a file, which may be one in memory. No transaction is open meanwhile. */
export async function copyPages(from: Db, file: string): Promise<void> {
  await withConnection(from, (connection) =>
    loadDriver().backup(connection, file, { rate: allPages }),
  );
}
