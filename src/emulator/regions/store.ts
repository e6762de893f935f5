// Copies all rows of a MySQL database into another one with the same tables, to fork a region.
import type { Knex } from 'knex';
import { tableNames } from '../../kernel/db/state.ts';
import { transact, withoutForeignKeys } from '../../kernel/db/transaction.ts';
import type { Database, Db } from '../../kernel/db/database.ts';

/**
 * Replaces the contents of `to` with a consistent copy of `from`, even if others write to `from` in
 * the meantime: it reads with locks, for which writers wait.
 */
export async function copyRows(from: Database, to: Database): Promise<void> {
  const tables = (await tableNames(from)).filter((name) => name !== 'cumulet_migrations');
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
