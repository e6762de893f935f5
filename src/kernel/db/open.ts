// Opens databases, the central one and one for each region, on SQLite or MySQL.
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import knexModule, { type Knex } from 'knex';
import type { Connection } from 'mysql2/promise';
import { newUuid } from '../ids.ts';
import { loadMysql } from '../lazy.ts';
import { redactUrl } from '../redaction/texts.ts';
import type { Database, DatabaseUrl, Db, Migration } from './database.ts';
import { isAccessDenied, isDamaged, isDiskFull } from './errors.ts';
import { migrate } from './schema/migrate.ts';
import { MysqlClient } from './drivers/mysql-client.ts';
import type { PacketLimits } from './drivers/mysql-packets.ts';
import { SqliteClient } from './drivers/sqlite-client.ts';
import { copyPages, withConnection } from './drivers/sqlite-connection.ts';

/**
 * Reads `memory:`, `sqlite:<folder>` or `mysql://user:password@host:port/name`.
 * @throws Error with the formats that are accepted
 */
export function parseDatabaseUrl(text: string): DatabaseUrl {
  if (text === 'memory:' || text === 'memory') return { kind: 'memory' };
  if (text.startsWith('sqlite:')) {
    const folder = text.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '');
    if (folder) return { kind: 'sqlite', folder };
  }
  const isMysql = /^(mysql|mariadb):\/\//.test(text);
  const url = isMysql && isWellFormed(text) ? new URL(text) : undefined;
  const name = url && decodeURIComponent(url.pathname.slice(1));
  if (url && name && /^\w{1,40}$/.test(name)) return { kind: 'mysql', url, name };
  // Commander would quote the text, with the password, in its message for an InvalidOptionError.
  throw new Error(
    `'${redactUrl(text)}' is not a database URL. Use sqlite:<folder>, memory: or ` +
      'mysql://user:password@host:port/name (a name of letters, digits and _).' +
      (isMysql && /[#%?/@].*@/.test(text.slice(text.indexOf('//') + 2)) ? ` ${escaping}` : ''),
  );
}

const escaping =
  'Escape characters of the password that have a meaning in URLs: write %23 for #, %2F for /, ' +
  '%3F for ?, %40 for @ and %25 for %.';

/** Whether a text is a URL without broken escapes. */
const isWellFormed = (text: string): boolean =>
  URL.canParse(text) && !/%(?![0-9a-f]{2})/i.test(text);

/**
 * Opens (and if necessary creates) the database `part` of a cloud, and migrates it. `part` is empty
 * for the central one. `pools` is the number of connection pools that the cloud has in all its
 * processes.
 */
export async function openDatabase(
  at: DatabaseUrl,
  part: string,
  migrations: readonly Migration[],
  pools = 1,
): Promise<Database> {
  try {
    return await openWith(at, part, migrations, pools);
  } catch (error) {
    throw explained(at, error);
  }
}

/**
 * Creates the SQLite database `part` of a cloud as a copy of another one, page by page. An existing
 * database of that name is overwritten.
 */
export async function copySqliteDatabase(
  at: Exclude<DatabaseUrl, { kind: 'mysql' }>,
  part: string,
  from: Database,
): Promise<Database> {
  try {
    await dropDatabase(at, part);
    // Another connection of this process can open a database in memory only if it has a name.
    const file = at.kind === 'memory' ? `file:/${newUuid()}?vfs=memdb` : fileOf(at.folder, part);
    const db = openSqlite(file);
    try {
      // A database in memory exists only as long as it has a connection.
      const copy = (): Promise<void> => copyPages(from.db, file);
      await (at.kind === 'memory' ? withConnection(db, copy) : copy());
    } catch (error) {
      await db.destroy();
      throw error;
    }
    return { name: part, kind: 'sqlite', db };
  } catch (error) {
    throw explained(at, error);
  }
}

/**
 * Turns a driver's error into a message for the user whose database cannot be opened. Other errors,
 * such as those of a migration, stay unchanged.
 */
export function explained(at: DatabaseUrl, error: unknown): unknown {
  if (!isOfDriver(error)) return error;
  const next = isDiskFull(error)
    ? 'Free some space on its disk, then start again.'
    : nextStep(at, error);
  return new Error(`The database ${shownUrl(at)} cannot be opened: ${reasonOf(error)}. ${next}`, {
    cause: error,
  });
}

/**
 * Checks that a MySQL server answers, without creating anything.
 * @throws Error with the reason and the next step
 */
export async function checkServer(at: Extract<DatabaseUrl, { kind: 'mysql' }>): Promise<void> {
  try {
    const server = await connectionTo(at);
    await server.end();
  } catch (error) {
    throw explained(at, error);
  }
}

async function openWith(
  at: DatabaseUrl,
  part: string,
  migrations: readonly Migration[],
  pools: number,
): Promise<Database> {
  const name = part || 'central';
  const database: Database =
    at.kind === 'mysql'
      ? {
          name,
          kind: 'mysql',
          db: await openMysql(at.url, part ? `${at.name}_${part}` : at.name, pools),
        }
      : {
          name,
          kind: 'sqlite',
          db: openSqlite(at.kind === 'memory' ? ':memory:' : fileOf(at.folder, name)),
        };
  try {
    await migrate(database, migrations);
  } catch (error) {
    await database.db.destroy(); // an open connection would keep the process alive
    throw error;
  }
  return database;
}

const isOfDriver = (error: unknown): boolean =>
  error instanceof AggregateError || (error instanceof Error && 'code' in error);

/** A database's URL without its password, for messages. */
function shownUrl(at: DatabaseUrl): string {
  if (at.kind === 'mysql') return redactUrl(at.url.href);
  return at.kind === 'memory' ? 'memory:' : `sqlite:${at.folder}`;
}

/** A driver's message. A host name with several addresses fails with one error for each. */
const reasonOf = (error: unknown): string =>
  error instanceof AggregateError
    ? error.errors.map(reasonOf).join(', ')
    : error instanceof Error && error.message
      ? error.message.replace(/^.* - (?=SQLITE|attempt |disk |unable |database )/, '')
      : String(error);

function nextStep({ kind }: DatabaseUrl, error: unknown): string {
  if (isAccessDenied(error))
    return (
      'Check the user and the password in --database. The user must be able to create ' +
      'databases.'
    );
  if (kind === 'mysql') return 'Start the server, or name another one with --database.';
  return isDamaged(error)
    ? 'Restore its files from a copy, or choose another folder with --database sqlite:<folder>.'
    : 'Choose a writable folder with --database sqlite:<folder>, or use --database memory:.';
}

/** Deletes what `openDatabase` has created. The database must be closed. */
export async function dropDatabase(at: DatabaseUrl, part: string): Promise<void> {
  if (at.kind === 'memory') return;
  if (at.kind === 'sqlite') {
    const file = join(at.folder, `${part || 'central'}.sqlite`);
    for (const one of [file, `${file}-wal`, `${file}-shm`]) rmSync(one, { force: true });
    return;
  }
  const connection = await loadMysql().createConnection(connectionOf(at.url));
  await connection.query(`DROP DATABASE IF EXISTS \`${part ? `${at.name}_${part}` : at.name}\``);
  await connection.end();
}

/**
 * Creates the file of a database so that only its owner can read it: it contains the key for
 * tokens, secrets and hashes of passwords. SQLite gives its log and its shared memory the mode of
 * the file. A folder that existed before keeps its mode, because it may contain other files.
 */
function fileOf(folder: string, name: string): string {
  makeFolder(resolve(folder));
  const file = join(folder, `${name}.sqlite`);
  closeSync(openSync(file, 'a', 0o600));
  for (const part of [file, `${file}-wal`, `${file}-shm`])
    if (existsSync(part)) closeToOthers(part);
  return file;
}

/**
 * Creates a folder and its parents. The `recursive` option of Node's mkdir never returns in /proc,
 * where folders exist but cannot be created.
 */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  const above = dirname(folder);
  if (above !== folder) makeFolder(above);
  try {
    mkdirSync(folder, { mode: 0o700 });
    chmodSync(folder, 0o700);
  } catch (error) {
    // Another process has created it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/**
 * Lets only a file's owner open it. Another user's file is left alone, because only its owner can
 * change its mode.
 */
function closeToOthers(file: string): void {
  try {
    chmodSync(file, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
}

/** Knex would log errors to the console that callers get as exceptions anyway. */
const silent = { warn() {}, error() {}, deprecate() {}, debug() {} };

function openSqlite(filename: string): Db {
  // One connection, because SQLite has only one writer anyway, and an in-memory database exists
  // only as long as its connection.
  return knexModule.knex({
    client: SqliteClient as unknown as typeof Knex.Client,
    connection: { filename },
    useNullAsDefault: true,
    pool: { min: 1, max: 1 },
    acquireConnectionTimeout: 30_000,
    log: silent,
    compileSqlOnError: false, // messages would contain the values of the row
  });
}

async function openMysql(url: URL, schema: string, pools: number): Promise<Db> {
  const server = await loadMysql().createConnection(connectionOf(url));
  let max: number;
  let packets: PacketLimits;
  try {
    const limits = await limitsOf(server);
    max = Number(url.searchParams.get('pool') ?? fairShare(limits.connections, pools));
    packets = limits.packets;
    await server.query(
      `CREATE DATABASE IF NOT EXISTS \`${schema}\` CHARACTER SET utf8mb4 COLLATE ` +
        (await exactCollation(server)),
    );
  } finally {
    await server.end();
  }
  return knexModule.knex({
    client: MysqlClient as unknown as typeof Knex.Client,
    // mysql-pipeline.ts sends several statements in a packet. The driver escapes their values.
    connection: { ...connectionOf(url), database: schema, multipleStatements: true },
    pool: { min: 0, max, ...afterCreate(url) },
    // Transactions may queue up for a lock, for which MySQL waits up to 50 seconds.
    acquireConnectionTimeout: 60_000,
    log: silent,
    compileSqlOnError: false, // messages would contain the values of the row
    packets,
  } as Knex.Config);
}

/** The largest useful pool: a process has one processor. */
const maxPoolSize = 16;

/**
 * The size of a pool at which all pools together leave some of the server's connections to others.
 */
function fairShare(connections: number, pools: number): number {
  const share = Math.floor((connections * 0.9) / pools);
  return Math.max(2, Math.min(maxPoolSize, share));
}

/** How many connections a server allows, and what a packet of statements may contain. */
async function limitsOf(
  server: Connection,
): Promise<{ connections: number; packets: PacketLimits }> {
  const [rows] = await server.query(
    'SELECT @@max_connections AS connections, @@max_allowed_packet AS packet',
  );
  const { connections, packet } = (rows as Record<string, unknown>[])[0] ?? {};
  const [galera] = await server.query("SHOW VARIABLES WHERE variable_name = 'wsrep_on'");
  const isGalera = (galera as { Value: string }[])[0]?.Value === 'ON';
  const packets = { bytes: Number(packet), statements: isGalera ? 1 : Infinity };
  return { connections: Number(connections), packets };
}

/**
 * The name of a binary collation without padding, so that case and trailing spaces count. MariaDB
 * and MySQL name it differently; other servers get the binary collation with padding.
 */
async function exactCollation(server: Connection): Promise<string> {
  const names = ['utf8mb4_nopad_bin', 'utf8mb4_0900_bin'];
  const [rows] = await server.query(
    `SELECT collation_name AS name FROM information_schema.collations
    WHERE collation_name IN (?) ORDER BY 1`,
    [names],
  );
  return (rows as { name: string }[])[0]?.name ?? 'utf8mb4_bin';
}

type Done = (error: Error | null, connection: unknown) => void;

/**
 * Sets up a new connection: GROUP_CONCAT returns long texts, and `?wsrep_sync_wait=1` makes a
 * Galera node apply the writes of the other nodes before it reads.
 */
function afterCreate(url: URL): {
  afterCreate: (
    connection: { query(sql: string, done: (error: Error | null) => void): void },
    done: Done,
  ) => void;
} {
  const wait = /^\d+$/.exec(url.searchParams.get('wsrep_sync_wait') ?? '')?.[0];
  const settings = [
    'group_concat_max_len=4294967295',
    ...(wait ? [`wsrep_sync_wait=${wait}`] : []),
  ];
  return {
    afterCreate: (connection, done) =>
      connection.query(`SET SESSION ${settings.join(', ')}`, (error) => done(error, connection)),
  };
}

/** A connection to the server outside of any pool, without a database. */
export const connectionTo = ({
  url,
}: Extract<DatabaseUrl, { kind: 'mysql' }>): Promise<Connection> =>
  loadMysql().createConnection(connectionOf(url));

/**
 * The driver's connection options. `?patience=` sets how many seconds a server may take to greet a
 * new connection. Sums of integers are read as numbers.
 */
function connectionOf(url: URL): Record<string, unknown> {
  const socketPath = url.searchParams.get('socketPath');
  return {
    ...(socketPath
      ? { socketPath }
      : { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 3306) }),
    user: decodeURIComponent(url.username) || 'root',
    password: decodeURIComponent(url.password),
    decimalNumbers: true,
    supportBigNumbers: true,
    connectTimeout: Number(url.searchParams.get('patience') ?? 5) * 1000,
  };
}
