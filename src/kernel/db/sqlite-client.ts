// The embedded database: a small Knex dialect over Node's own SQLite, or its prebuilt stand-in on
// Node 20.
import { createRequire } from 'node:module';
import nearestClient from 'knex/lib/dialects/better-sqlite3/index.js';
import sqliteTransaction from 'knex/lib/dialects/sqlite3/execution/sqlite-transaction.js';
import { yieldToEventLoop, ticks } from '../clock.ts';
import { isDiskFull } from './errors.ts';

const require = createRequire(import.meta.url);
// Knex has no dialect for node:sqlite (its issue 6162), so this extends the nearest one.
const BetterSqliteClient = nearestClient as new (...args: unknown[]) => KnexClient;
const SqliteTransaction = sqliteTransaction as new (...args: unknown[]) => KnexTransaction;

interface KnexClient {
  driver: { DatabaseSync: new (file: string) => SqliteConnection };
  connectionSettings: { filename: string };
  _formatBindings(bindings: unknown[] | undefined): unknown[];
}

interface KnexTransaction {
  query(connection: unknown, sql: string): Promise<unknown>;
}

interface SqliteStatement {
  columns(): unknown[];
  all(...bindings: unknown[]): unknown[];
  run(...bindings: unknown[]): { lastInsertRowid: number | bigint; changes: number | bigint };
}

interface SqliteConnection {
  /**
   * The prepared statements of the connection. They are kept here because Knex makes a
   * transaction's client without running a constructor.
   */
  kept: Map<string, Prepared>;
  /** When it last let others be served. */
  restedAt: number;
  prepare(sql: string): SqliteStatement;
  exec(sql: string): void;
  close(): void;
}

interface Prepared {
  statement: SqliteStatement;
  reads: boolean;
}

interface Query {
  sql: string;
  bindings?: unknown[];
  response?: unknown;
  context?: unknown;
}

const keptStatements = 500;

/**
 * SQLite answers at once, so that long work would never wait for anything: for so many milliseconds
 * nobody else is served.
 */
const patience = 15;

/** Lets others be served. */
async function rest(connection: SqliteConnection): Promise<void> {
  await yieldToEventLoop();
  connection.restedAt = ticks();
}

/**
 * Begins with BEGIN IMMEDIATE: the transaction takes the write lock first, so that its first write
 * cannot fail because of a stale snapshot.
 */
class ImmediateTransaction extends SqliteTransaction {
  begin(connection: unknown): Promise<unknown> {
    return this.query(connection, 'BEGIN IMMEDIATE;');
  }
}

/**
 * The Knex client. Keeps prepared statements, which makes a query twice as fast as Knex's own
 * SQLite dialects.
 */
export class SqliteClient extends BetterSqliteClient {
  _driver(): unknown {
    return loadDriver();
  }

  async acquireRawConnection(): Promise<SqliteConnection> {
    const connection = this.opened();
    connection.exec('PRAGMA foreign_keys=ON; PRAGMA synchronous=NORMAL;');
    // a long list is sorted beside the database, and must be read where the disk is full
    connection.exec('PRAGMA temp_store=MEMORY');
    connection.kept = new Map();
    connection.restedAt = ticks();
    return connection;
  }

  /**
   * Opens the file with a log beside it, whose index is a file too: where the disk has no room for
   * that, this process has the database alone, without one.
   */
  private opened(locking = 'NORMAL'): SqliteConnection {
    const connection = new this.driver.DatabaseSync(this.connectionSettings.filename);
    try {
      connection.exec(
        `PRAGMA busy_timeout=5000; PRAGMA locking_mode=${locking}; PRAGMA journal_mode=WAL;`,
      );
      return connection;
    } catch (error) {
      connection.close();
      if (!isDiskFull(error) || locking === 'EXCLUSIVE') throw error;
      return this.opened('EXCLUSIVE');
    }
  }

  transaction(container: unknown, config: unknown, outer: unknown): unknown {
    return new ImmediateTransaction(this, container, config, outer);
  }

  async _query(connection: SqliteConnection, query: Query): Promise<Query> {
    if (!query.sql) throw new Error('The query is empty');
    if (ticks() - connection.restedAt > patience) await rest(connection);
    const { statement, reads } = this.prepared(connection, query.sql);
    const bindings = this._formatBindings(query.bindings);
    if (reads) {
      query.response = statement.all(...bindings);
      return query;
    }
    const result = query.sql.startsWith('ROLLBACK')
      ? runRollback(statement)
      : statement.run(...bindings);
    query.response = result;
    query.context = { lastID: Number(result.lastInsertRowid), changes: Number(result.changes) };
    return query;
  }

  private prepared(connection: SqliteConnection, sql: string): Prepared {
    const { kept } = connection;
    let found = kept.get(sql);
    if (!found) {
      const statement = connection.prepare(sql);
      found = { statement, reads: statement.columns().length > 0 };
      if (kept.size >= keptStatements) kept.delete(kept.keys().next().value!);
      kept.set(sql, found);
    }
    return found;
  }
}

/**
 * Where the disk is full, SQLite has rolled the transaction back itself. The error that counts is
 * the one before.
 */
function runRollback(statement: SqliteStatement): ReturnType<SqliteStatement['run']> {
  try {
    return statement.run();
  } catch (error) {
    if (/no transaction is active/.test((error as Error).message))
      return { lastInsertRowid: 0, changes: 0 };
    throw error;
  }
}

Object.assign(SqliteClient.prototype, { driverName: 'node:sqlite' });

/**
 * Node's own SQLite where it can tell a query from a statement (22.16 and newer), else the stand-in
 * with the same interface.
 */
function loadDriver(): unknown {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 16)
    ? require('node:sqlite')
    : require('@photostructure/sqlite');
}
