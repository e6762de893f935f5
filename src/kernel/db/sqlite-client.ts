// The Knex client for SQLite: a small dialect on top of node:sqlite, or of a package with the same
// interface on older versions of Node.
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
   * The prepared statements. A field of the connection, because Knex creates a transaction's client
   * without running its constructor.
   */
  statements: Map<string, Prepared>;
  /** When the connection last yielded to the event loop. */
  yieldedAt: number;
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

const maxStatements = 500;

/**
 * After how many milliseconds a connection yields to the event loop. SQLite is synchronous, so a
 * long sequence of statements would block all other requests.
 */
const yieldInterval = 15;

async function yieldToOthers(connection: SqliteConnection): Promise<void> {
  await yieldToEventLoop();
  connection.yieldedAt = ticks();
}

/**
 * A transaction that begins with BEGIN IMMEDIATE. It acquires the write lock at once, so that its
 * first write cannot fail because of a stale snapshot.
 */
class ImmediateTransaction extends SqliteTransaction {
  begin(connection: unknown): Promise<unknown> {
    return this.query(connection, 'BEGIN IMMEDIATE;');
  }
}

/**
 * It caches prepared statements, which makes queries twice as fast as Knex's own SQLite dialects.
 */
export class SqliteClient extends BetterSqliteClient {
  _driver(): unknown {
    return loadDriver();
  }

  async acquireRawConnection(): Promise<SqliteConnection> {
    const connection = this.opened();
    connection.exec('PRAGMA foreign_keys=ON; PRAGMA synchronous=NORMAL;');
    // A long list is sorted in memory instead of a file, so that it can be read on a full disk.
    connection.exec('PRAGMA temp_store=MEMORY');
    connection.statements = new Map();
    connection.yieldedAt = ticks();
    return connection;
  }

  /**
   * Opens the file in WAL mode. The WAL's index is a file too: if the disk has no space for it, the
   * database is opened for this process exclusively, which needs none.
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
    if (ticks() - connection.yieldedAt > yieldInterval) await yieldToOthers(connection);
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
    const { statements } = connection;
    let found = statements.get(sql);
    if (!found) {
      const statement = connection.prepare(sql);
      found = { statement, reads: statement.columns().length > 0 };
      if (statements.size >= maxStatements) statements.delete(statements.keys().next().value!);
      statements.set(sql, found);
    }
    return found;
  }
}

/**
 * Rolls back, and ignores that there is no transaction: SQLite has rolled it back itself if the
 * disk is full. The caller throws the error of that statement.
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
 * Loads node:sqlite if it can distinguish queries from other statements (22.16 and newer),
 * otherwise the package with the same interface.
 */
function loadDriver(): unknown {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 16)
    ? require('node:sqlite')
    : require('@photostructure/sqlite');
}
