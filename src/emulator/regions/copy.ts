// Copying all rows of one database into another that has the same tables: what a region holds when
// it is forked.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { tableNames } from '../../kernel/db/state.ts';
import { transact, withoutForeignKeys } from '../../kernel/db/transaction.ts';
import type { Database, Db } from '../../kernel/db/database.ts';

/**
 * Makes `to` hold what `from` holds at one moment, whatever is written to it meanwhile. What `to`
 * held is gone.
 */
export async function copyRows(from: Database, to: Database): Promise<void> {
  const tables = (await tableNames(from)).filter((name) => name !== 'cumulet_migrations');
  await (from.kind === 'mysql' ? copyMysql(from, to, tables) : copySqlite(from, to, tables));
}

/**
 * SQLite writes a copy of the database to a file in one go, which the other connection reads then.
 * A database in memory can be copied in no other way.
 */
async function copySqlite(from: Database, to: Database, tables: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-fork-'));
  const file = join(folder, 'copy.sqlite');
  try {
    await from.db.raw('VACUUM INTO ?', [file]);
    // The ids that SQLite gives go on from what stands in a table of its own.
    const names = [...tables, 'sqlite_sequence'];
    const copies = names.map(
      (name) => `DELETE FROM main.${name}; INSERT INTO main.${name} SELECT * FROM source.${name};`,
    );
    const attached = `ATTACH '${file.replaceAll("'", "''")}' AS source;`;
    await execute(
      to.db,
      `${attached} PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE; ${copies.join(' ')} COMMIT; PRAGMA foreign_keys = ON; DETACH source;`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface SqliteConnection {
  exec(sql: string): void;
}

/**
 * Runs statements in one go: a statement that Knex's client keeps would not let the other database
 * be detached.
 */
async function execute({ client }: Db, sql: string): Promise<void> {
  const pool = client as {
    acquireConnection(): Promise<SqliteConnection>;
    releaseConnection(one: SqliteConnection): Promise<void>;
  };
  const connection = await pool.acquireConnection();
  try {
    connection.exec(sql);
  } finally {
    await pool.releaseConnection(connection);
  }
}

/** Locks what it reads, so that it is the state of one moment; writers wait for it. */
async function copyMysql(from: Database, to: Database, tables: readonly string[]): Promise<void> {
  const names = [schemaOf(from.db), schemaOf(to.db)] as const;
  await transact(to.db, (trx) =>
    withoutForeignKeys(trx, async () => {
      for (const name of tables) await copyTable(trx, name, names);
    }),
  );
}

const schemaOf = (db: Db): string =>
  (db.client as Knex.Client & { config: { connection: { database: string } } }).config.connection
    .database;

async function copyTable(
  trx: Db,
  name: string,
  [from, to]: readonly [from: string, to: string],
): Promise<void> {
  await trx.raw('DELETE FROM ??.??', [to, name]);
  await trx.raw('INSERT INTO ??.?? SELECT * FROM ??.??', [to, name, from, name]);
}
