// Migrates a database's schema when it is opened.
import type { Database, Db, Migration } from './database.ts';

const table = 'cumulet_migrations';

/**
 * Runs the migrations that this database has not had yet. If several processes start at once, one
 * migrates and the others wait for it: by an advisory lock on MySQL, by the file's lock on SQLite.
 */
export async function migrate(database: Database, migrations: readonly Migration[]): Promise<void> {
  if (database.kind === 'sqlite') {
    // Most databases are up to date, and need not wait for a writer.
    if (!(await pending(database.db, migrations)).length) return;
    await database.db.transaction((trx) => run(trx, migrations));
    return;
  }
  await database.db.transaction(async (trx) => {
    const lock =
      `cumulet.${database.name}.${(trx.client as { config: { connection: { database: string } } }).config.connection.database}`.slice(
        0,
        64,
      );
    const [[got]] = (await trx.raw('SELECT GET_LOCK(?, 60) AS got', [lock])) as [[{ got: number }]];
    if (got.got !== 1)
      throw new Error(
        `Another process has been migrating the database ${database.name} for more than a ` +
          'minute. Start again when it has finished.',
      );
    try {
      await run(trx, migrations);
      // The next process must see the names of all migrations as soon as it gets the lock.
      await trx.raw('COMMIT');
    } finally {
      await trx.raw('SELECT RELEASE_LOCK(?)', [lock]);
    }
  });
}

async function run(db: Db, migrations: readonly Migration[]): Promise<void> {
  if (!(await db.schema.hasTable(table))) {
    await db.schema.createTable(table, (columns) => {
      columns.string('name', 100).primary();
    });
  }
  for (const migration of await pending(db, migrations)) {
    await migration.up(db);
    await db(table).insert({ name: migration.name });
  }
}

async function pending(db: Db, migrations: readonly Migration[]): Promise<readonly Migration[]> {
  if (!(await db.schema.hasTable(table))) return migrations;
  const done = new Set((await db(table).select('name')).map((row: { name: string }) => row.name));
  return migrations.filter((migration) => !done.has(migration.name));
}
