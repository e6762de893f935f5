// Copies all rows of a database into another one with the same tables, to fork a region.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { tableNames } from '../../kernel/db/state.ts';
import { transact, withoutForeignKeys } from '../../kernel/db/transaction.ts';
import type { Database, Db } from '../../kernel/db/database.ts';

/**
 * Replaces the contents of `to` with a consistent copy of `from`, even if others write to `from` in
 * the meantime.
 */
export async function copyRows(from: Database, to: Database): Promise<void> {
  const tables = (await tableNames(from)).filter((name) => name !== 'cumulet_migrations');
  await (from.kind === 'mysql' ? copyMysql(from, to, tables) : copySqlite(from, to, tables));
}

/**
 * Writes a consistent copy of the database to a file, which the other connection then reads. There
 * is no other way to copy a database in memory.
 */
async function copySqlite(from: Database, to: Database, tables: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-fork-'));
  const file = join(folder, 'copy.sqlite');
  try {
    await from.db.raw('VACUUM INTO ?', [file]);
    // SQLite keeps its auto-increment counters in a table of their own.
    const names = [...tables, 'sqlite_sequence'];
    const copies = names.map(
      (name) => `DELETE FROM main.${name}; INSERT INTO main.${name} SELECT * FROM source.${name};`,
    );
    const attached = `ATTACH '${file.replaceAll("'", "''")}' AS source;`;
    await execute(
      to.db,
      `${attached} PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE; ${copies.join(' ')} COMMIT; ` +
        'PRAGMA foreign_keys = ON; DETACH source;',
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface SqliteConnection {
  exec(sql: string): void;
}

/**
 * Runs several statements directly on a connection. A statement that Knex's client has cached would
 * prevent the other database from being detached.
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

/** Copies rows with locking reads, which are consistent because writers wait for them. */
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
