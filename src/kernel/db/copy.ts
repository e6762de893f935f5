// Copying all rows of one database into another that has the same tables: what a region holds when it is forked.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { tableNames } from './state.ts';
import { transact } from './transaction.ts';
import type { Database, Db } from './database.ts';

/** Makes `to` hold what `from` holds at one moment, whatever is written to it meanwhile. What `to` held is gone. */
export async function copyRows(from: Database, to: Database): Promise<void> {
  const tables = (await tableNames(from)).filter((name) => name !== 'cumulet_migrations');
  await (from.kind === 'mysql' ? copyMysql(from, to, tables) : copySqlite(from, to, tables));
}

/**
 * SQLite writes a copy of the database to a file in one go, which the other connection reads then. A database in memory can be copied in
 * no other way.
 */
async function copySqlite(from: Database, to: Database, tables: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-fork-'));
  const file = join(folder, 'copy.sqlite');
  try {
    await from.db.raw('VACUUM INTO ?', [file]);
    await to.db.raw('ATTACH ? AS source', [file]);
    try {
      // The ids that SQLite gives go on from what stands in a table of its own.
      await transact(to.db, async (trx) => {
        await trx.raw('PRAGMA defer_foreign_keys = ON');
        for (const name of [...tables, 'sqlite_sequence']) await copyTable(trx, name, ['source', 'main']);
      });
    } finally {
      await to.db.raw('DETACH source');
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Locks what it reads, so that it is the state of one moment; writers wait for it. */
async function copyMysql(from: Database, to: Database, tables: readonly string[]): Promise<void> {
  const names = [schemaOf(from.db), schemaOf(to.db)] as const;
  await transact(to.db, async (trx) => {
    await trx.raw('SET FOREIGN_KEY_CHECKS = 0');
    try {
      for (const name of tables) await copyTable(trx, name, names);
    } finally {
      await trx.raw('SET FOREIGN_KEY_CHECKS = 1');
    }
  });
}

const schemaOf = (db: Db): string =>
  (db.client as Knex.Client & { config: { connection: { database: string } } }).config.connection.database;

async function copyTable(trx: Db, name: string, [from, to]: readonly [from: string, to: string]): Promise<void> {
  await trx.raw('DELETE FROM ??.??', [to, name]);
  await trx.raw('INSERT INTO ??.?? SELECT * FROM ??.??', [to, name, from, name]);
}
