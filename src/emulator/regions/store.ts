// Copies a MySQL database into another one, to fork a region.
import type { Knex } from 'knex';
import { pipelined } from '../../kernel/db/pipelined.ts';
import { tableNames } from '../../kernel/db/state.ts';
import {
  runWithoutForeignKeys,
  transact,
  withoutForeignKeys,
} from '../../kernel/db/transaction.ts';
import type { Database, Db } from '../../kernel/db/database.ts';

/**
 * Replaces the tables of `to` with those of `from`, and copies their rows consistently, even if
 * others write to `from` in the meantime: it reads with locks, for which writers wait. This takes
 * less than half of the time of the migrations.
 */
export async function copyDatabase(from: Database, to: Database): Promise<void> {
  const tables = await tableNames(from);
  const names = [schemaOf(from.db), schemaOf(to.db)] as const;
  await transact(to.db, (trx) =>
    withoutForeignKeys(trx, async () => {
      // What an attempt that failed has left.
      for (const name of await tableNames(to, trx)) await trx.raw('DROP TABLE ??', [name]);
      const created = await pipelined(
        tables.map((name) => trx.raw('SHOW CREATE TABLE ??.??', [names[0], name])),
      );
      await trx.raw(created.map(definitionIn).join(';\n'));
    }),
  );
  const [source, copy] = names.map((name) => `\`${name}\``);
  await transact(to.db, (trx) =>
    runWithoutForeignKeys(
      trx,
      tables.map((name) => `INSERT INTO ${copy}.\`${name}\` SELECT * FROM ${source}.\`${name}\``),
    ),
  );
}

const schemaOf = (db: Db): string =>
  (db.client as Knex.Client & { config: { connection: { database: string } } }).config.connection
    .database;

/** The statement in the answer to SHOW CREATE TABLE. */
const definitionIn = (answer: unknown): string =>
  (answer as [[{ 'Create Table': string }]])[0][0]['Create Table'];
