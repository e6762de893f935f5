// Copies the seeded rows of a database and restores them in one script. Seeding again query by
// query took a third of the tests' time.
import { createConnection, type Connection } from 'mysql2/promise';
import type { Database, DatabaseUrl } from '../../src/kernel/db/database.ts';
import { isDeadlock } from '../../src/kernel/db/errors.ts';
import { tableNames } from '../../src/kernel/db/state.ts';

/** A copy of a database's rows. */
export interface Image {
  /** Restores the rows of the copy. Most of the emulator's own tables are left unchanged. */
  restore(): Promise<void>;
  drop(): Promise<void>;
}

/** The tables of the services. A revision belongs to the rows that it was given to. */
const names = async (database: Database): Promise<string[]> =>
  (await tableNames(database)).filter(
    (name) => !name.startsWith('cumulet_') || name === 'cumulet_revisions',
  );

/**
 * Copies the current rows of a database.
 * @param name what SQLite calls the copy, if there are several
 */
export async function imageOf(
  database: Database,
  url: DatabaseUrl,
  name = 'image',
): Promise<Image> {
  return url.kind === 'mysql' ? mysqlImage(database, url.url) : sqliteImage(database, name);
}

interface SqliteConnection {
  exec(sql: string): void;
}

async function sqliteImage(database: Database, image: string): Promise<Image> {
  const client = database.db.client as {
    acquireConnection(): Promise<SqliteConnection>;
    releaseConnection(connection: SqliteConnection): Promise<void>;
  };
  const exec = async (sql: string): Promise<void> => {
    const connection = await client.acquireConnection();
    try {
      connection.exec(sql);
    } finally {
      await client.releaseConnection(connection);
    }
  };
  const tables = await names(database);
  // SQLite keeps the last id of each AUTOINCREMENT table in sqlite_sequence, which exists only if
  // there is such a table.
  const sequences = (await database
    .db('sqlite_master')
    .where({ name: 'sqlite_sequence' })
    .pluck('name')) as string[];
  const copy = (name: string): string => `${image}.copy_of_${name}`;
  const copies = [...tables, ...sequences].map(
    (name) => `CREATE TABLE ${copy(name)} AS SELECT * FROM main.${name};`,
  );
  await exec(`ATTACH ':memory:' AS ${image}; ${copies.join(' ')}`);
  // Delete from all tables before inserting, because deletions cascade to other tables.
  const statements = [
    ...[...tables, ...sequences].map((name) => `DELETE FROM main.${name};`),
    ...[...tables, ...sequences].map(
      (name) => `INSERT INTO main.${name} SELECT * FROM ${copy(name)};`,
    ),
  ];
  const script = `BEGIN IMMEDIATE; PRAGMA defer_foreign_keys = ON; ${statements.join(' ')} COMMIT;`;
  return { restore: () => exec(script), drop: async () => {} };
}

async function mysqlImage(database: Database, url: URL): Promise<Image> {
  const [[row]] = (await database.db.raw('SELECT DATABASE() AS name')) as [[{ name: string }]];
  const [from, to] = [`\`${row.name}\``, `\`${row.name}_image\``];
  const at = new URL(url);
  at.pathname = '/';
  at.searchParams.set('multipleStatements', 'true');
  const connection: Connection = await createConnection(at.href);
  const tables = await names(database);
  await connection.query(`DROP DATABASE IF EXISTS ${to}; CREATE DATABASE ${to}; USE ${to};`);
  // Empty tables need no copy.
  const filled: string[] = [];
  for (const name of tables) if ((await database.db(name).limit(1)).length) filled.push(name);
  for (const name of filled)
    await connection.query(`CREATE TABLE \`${name}\` AS SELECT * FROM ${from}.\`${name}\``);
  const script = [
    'SET FOREIGN_KEY_CHECKS = 0',
    'START TRANSACTION',
    ...tables.map((name) => `DELETE FROM ${from}.\`${name}\``),
    ...filled.map((name) => `INSERT INTO ${from}.\`${name}\` SELECT * FROM ${to}.\`${name}\``),
    'COMMIT',
  ].join('; ');
  return {
    /** Again after a deadlock: a job of the test before may still be running. */
    async restore() {
      for (;;)
        try {
          await connection.query(script);
          return;
        } catch (error) {
          if (!isDeadlock(error)) throw error;
        }
    },
    async drop() {
      await connection.query(`DROP DATABASE ${to}`);
      await connection.end();
    },
  };
}
