// Migrates a database's schema when it is opened.
import { packageVersion } from '../../package-root.ts';
import type { Database, Db, Migration } from '../database.ts';
import { connectionOf } from '../drivers/sqlite-connection.ts';
import { scriptOf } from './scripts.ts';

const table = 'cumulet_migrations';

/**
 * Runs the migrations that this database has not had yet. If several processes start at once, one
 * migrates and the others wait for it: by an advisory lock on MySQL, by the file's lock on SQLite.
 * @throws Error if a newer version has written the database
 */
export async function migrate(database: Database, migrations: readonly Migration[]): Promise<void> {
  if (database.kind === 'sqlite') {
    // Most databases are up to date, and need not wait for a writer.
    if (!(await pending(database, database.db, migrations)).length) return;
    await database.db.transaction((trx) => run(database, trx, migrations));
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
      await run(database, trx, migrations);
      // The next process must see the names of all migrations as soon as it gets the lock.
      await trx.raw('COMMIT');
    } finally {
      await trx.raw('SELECT RELEASE_LOCK(?)', [lock]);
    }
  });
}

async function run(database: Database, db: Db, migrations: readonly Migration[]): Promise<void> {
  const missing = await pending(database, db, migrations);
  if (!missing.length) return;
  if (!(await db.schema.hasTable(table))) {
    if (database.kind === 'sqlite') return create(db, migrations);
    await createTable(db);
  } else if (!(await db.schema.hasColumn(table, 'version')))
    await db.schema.alterTable(table, (columns) => void columns.string('version', 64));
  const applied = appliedNow(missing);
  for (const [index, migration] of missing.entries()) {
    await migration.up(db);
    await db(table).insert(applied[index]);
  }
}

/** Creates the tables of an empty SQLite database: by the script of the migrations if possible. */
async function create(db: Db, migrations: readonly Migration[]): Promise<void> {
  const script = scriptOf(migrations);
  if (script === undefined) {
    await createTable(db);
    for (const migration of migrations) await migration.up(db);
  } else {
    (await connectionOf(db)).exec(script);
  }
  await db(table).insert(appliedNow(migrations));
}

const createTable = (db: Db): Promise<void> =>
  db.schema.createTable(table, (columns) => {
    columns.string('name', 100).primary();
    columns.string('version', 64);
  });

function appliedNow(migrations: readonly Migration[]): Applied[] {
  const version = packageVersion();
  return migrations.map(({ name }) => ({ name, version }));
}

/** A migration that a database has had, and the version that ran it. */
interface Applied {
  readonly name: string;
  /** Absent in a database that was created before versions were recorded. */
  readonly version?: string | null;
}

/**
 * The migrations that a database has not had yet.
 * @throws Error if it has had migrations that are not in the list: a newer version has written it
 */
async function pending(
  { name: database }: Database,
  db: Db,
  migrations: readonly Migration[],
): Promise<readonly Migration[]> {
  if (!(await db.schema.hasTable(table))) return migrations;
  const applied = (await db(table).select('*').orderBy('name')) as Applied[];
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = applied.filter(({ name }) => !known.has(name));
  if (unknown.length) throw writtenByNewer(database, unknown);
  const done = new Set(applied.map(({ name }) => name));
  return migrations.filter(({ name }) => !done.has(name));
}

function writtenByNewer(database: string, unknown: readonly Applied[]): Error {
  const version = unknown
    .flatMap((applied) => applied.version ?? [])
    .toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true }))
    .at(-1);
  const writer = version === undefined ? 'a newer cumulet' : `cumulet ${version}`;
  const usable = version === undefined ? 'that version' : `cumulet ${version} or newer`;
  return new Error(
    `The database ${database} was written by ${writer}: it has the migration ` +
      `'${unknown.at(-1)!.name}', which this cumulet ${packageVersion()} does not know. Use ` +
      `${usable}, or choose another database with --database. Nothing was changed.`,
  );
}
