// The Knex client for SQLite: a small dialect on top of node:sqlite, or of a package with the same
// interface on older versions of Node.
import nearestClient from 'knex/lib/dialects/better-sqlite3/index.js';
import sqliteCompiler from 'knex/lib/dialects/sqlite3/query/sqlite-querycompiler.js';
import { yieldToEventLoop, ticks } from '../../clock.ts';
import { truncateLog } from '../disk-space.ts';
import { isDeadlock, isDiskFull } from '../errors.ts';
import { readAsArrays, type ReadingStatement } from './sqlite-rows.ts';
import { loadDriver } from './sqlite-driver.ts';
import { ImmediateTransaction } from './sqlite-transaction.ts';
import { TableWrites, targetOf, type WriteTarget } from './table-writes.ts';

// Knex has no dialect for node:sqlite (its issue 6162), so this extends the nearest one.
const BetterSqliteClient = nearestClient as new (...args: unknown[]) => KnexClient;
const SqliteCompiler = sqliteCompiler as new (...args: unknown[]) => KnexCompiler;

interface KnexClient {
  driver: { DatabaseSync: new (file: string) => SqliteConnection };
  connectionSettings: { filename: string };
  valueForUndefined: unknown;
  _formatBindings(bindings: unknown[] | undefined): unknown[];
  values(values: unknown, builder: unknown, holder: BindingsHolder): string;
  parameter(value: unknown, builder: unknown, holder: BindingsHolder): string;
  parameterize(
    values: readonly unknown[],
    notSet: unknown,
    builder: unknown,
    holder: BindingsHolder,
  ): string;
}

interface BindingsHolder {
  readonly bindings: unknown[];
}

interface KnexCompiler {
  readonly client: KnexClient;
  readonly builder: unknown;
  readonly bindingsHolder: BindingsHolder;
  readonly tableName: string;
  readonly formatter: { columnize(columns: readonly string[]): string };
  readonly single: {
    readonly insert?: unknown;
    readonly onConflict?: unknown;
    readonly ignore?: boolean;
    readonly merge?: { readonly updates?: unknown };
    readonly returning?: unknown;
    readonly limit?: unknown;
    readonly skipBinding: { limit?: boolean };
  };
  limit(): string;
  insert(): unknown;
  with(): string;
  where(): string;
  _prepInsert(rows: readonly unknown[]): { columns: string[]; values: unknown[][] };
  _ignore(conflict: unknown): string;
  _merge(updates: unknown, conflict: unknown, rows: unknown): string;
  _returning(columns: unknown): string;
}

interface SqliteStatement extends ReadingStatement {
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
  /** Whether the disk was full in the current transaction, whose log is too large then. */
  wasFull: boolean;
  /** How many images it has taken (sqlite-connection.ts). */
  images: number;
  /** The tables that it has written. */
  writes: TableWrites;
  /** The savepoints to send before the next write (sqlite-transaction.ts). */
  unsentSavepoints: string[];
  prepare(sql: string): SqliteStatement;
  exec(sql: string): void;
  close(): void;
}

interface Prepared {
  statement: SqliteStatement;
  /** Runs a query. Undefined for statements that return no rows. */
  read: ((bindings: readonly unknown[]) => unknown[]) | undefined;
  /** Undefined for statements that write nothing. */
  target: WriteTarget | undefined;
}

/** A statement after which cached statements may have other columns. */
const changesSchema = /^\s*(?:alter|create|drop)\b/i;

interface Query {
  sql: string;
  bindings?: unknown[];
  /** What an INSERT of several rows consists of. */
  rows?: InsertedRows;
  response?: unknown;
  context?: { readonly lastID: number; readonly changes: number };
}

/** An INSERT of several rows. Its bindings are those of the rows, followed by those of the end. */
interface InsertedRows {
  readonly start: string;
  /** The text of each row, with its number of bindings. */
  readonly rows: readonly { readonly text: string; readonly bindings: number }[];
  readonly end: string;
}

const maxStatements = 500;

/** Longer statements are not cached: their number of values varies, so they hardly ever recur. */
const maxCachedLength = 10_000;

/** The number of bindings that SQLite allows in a statement, unless it is built otherwise. */
const maxBindings = 32_766;

/** A list of more values is one binding, so that a list of any length is possible. */
const maxListed = 1000;

/**
 * After how many milliseconds a connection yields to the event loop. SQLite is synchronous, so a
 * long sequence of statements would block all other requests.
 */
const yieldInterval = 15;

async function yieldToOthers(connection: SqliteConnection): Promise<void> {
  await yieldToEventLoop();
  connection.yieldedAt = ticks();
}

/** Compiles queries as SQLite runs them best. */
class Compiler extends SqliteCompiler {
  /**
   * Writes the limit into the statement. SQLite plans for the limit that is bound, so that binding
   * one compiles the statement again, each time.
   */
  override limit(): string {
    const { limit, skipBinding } = this.single;
    if (Number.isSafeInteger(limit)) skipBinding.limit = true;
    return super.limit();
  }

  /**
   * Compiles an INSERT of several rows to VALUES, of which SQLite takes any number. Knex compiles
   * it to a UNION of SELECTs, of which SQLite takes 500.
   */
  override insert(): unknown {
    const { insert: inserted, onConflict, ignore, merge, returning } = this.single;
    if (!Array.isArray(inserted) || inserted.length < 2) return super.insert();
    const { columns, values } = this._prepInsert(inserted);
    if (!columns.length) return super.insert();
    const start = `${this.with()}insert into ${this.tableName} (${this.formatter.columnize(columns)})`;
    const rows = values.map((row) => this.row(row));
    let end = '';
    if (onConflict && ignore) end = this._ignore(onConflict);
    else if (onConflict && merge)
      end = `${this._merge(merge.updates, onConflict, inserted)} ${this.where() || ''}`;
    end += this._returning(returning);
    const parts: InsertedRows = { start: `${start} values `, rows, end };
    return { sql: textOf(parts), returning, rows: parts };
  }

  private row(values: readonly unknown[]): InsertedRows['rows'][number] {
    const { client, builder, bindingsHolder } = this;
    const before = bindingsHolder.bindings.length;
    const text = `(${client.parameterize(values, client.valueForUndefined, builder, bindingsHolder)})`;
    return { text, bindings: bindingsHolder.bindings.length - before };
  }
}

const textOf = ({ start, rows, end }: InsertedRows): string =>
  `${start}${rows.map(({ text }) => text).join(', ')}${end}`;

/** Splits an INSERT of several rows into queries within the limit on bindings. */
function splitInsert({ start, rows, end }: InsertedRows, bindings: readonly unknown[]): Query[] {
  const total = rows.reduce((sum, row) => sum + row.bindings, 0);
  const ofEnd = bindings.slice(total);
  const queries: Query[] = [];
  for (let [from, at] = [0, 0]; from < rows.length;) {
    const first = at;
    let until = from;
    do at += rows[until++]!.bindings;
    while (until < rows.length && at - first + rows[until]!.bindings + ofEnd.length <= maxBindings);
    queries.push({
      sql: textOf({ start, rows: rows.slice(from, until), end }),
      bindings: [...bindings.slice(first, at), ...ofEnd],
    });
    from = until;
  }
  return queries;
}

const isPlain = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'string' && !value.includes('\0'));

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
    connection.wasFull = false;
    connection.images = 0;
    connection.writes = new TableWrites();
    connection.unsentSavepoints = [];
    shrinkLog(connection); // a process that was killed may have left a large one
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

  queryCompiler(builder: unknown, bindings: unknown): unknown {
    return new Compiler(this, builder, bindings);
  }

  /** Compiles the list of an IN condition: a long one becomes a table of the values of one JSON. */
  override values(values: unknown, builder: unknown, holder: BindingsHolder): string {
    if (!Array.isArray(values) || values.length <= maxListed)
      return super.values(values, builder, holder);
    const list = values as readonly unknown[];
    const width = Array.isArray(list[0]) ? list[0].length : 0;
    if (!list.flat().every(isPlain)) return super.values(values, builder, holder);
    const columns = width
      ? Array.from({ length: width }, (_, index) => `value ->> ${index}`).join(', ')
      : 'value';
    const json = this.parameter(JSON.stringify(list), builder, holder);
    return `(select ${columns} from json_each(${json}))`;
  }

  transaction(container: unknown, config: unknown, outer: unknown): unknown {
    return new ImmediateTransaction(this, container, config, outer);
  }

  async _query(connection: SqliteConnection, query: Query): Promise<Query> {
    if (!query.sql) throw new Error('The query is empty');
    if (ticks() - connection.yieldedAt > yieldInterval) await yieldToOthers(connection);
    try {
      if (query.rows && query.bindings!.length > maxBindings)
        return this.insertInParts(connection, query, query.rows);
      return this.run(connection, query);
    } catch (error) {
      connection.wasFull ||= isDiskFull(error);
      // Knex does not roll back if COMMIT fails.
      if (query.sql.startsWith('COMMIT')) runRollback(connection, connection.prepare('ROLLBACK'));
      throw error;
    }
  }

  /** Runs an INSERT with too many values for one statement. It inserts all rows, or none. */
  private insertInParts(connection: SqliteConnection, query: Query, rows: InsertedRows): Query {
    this.sendSavepoints(connection);
    connection.exec('SAVEPOINT insert_in_parts');
    try {
      const parts = splitInsert(rows, query.bindings!).map((part) => this.run(connection, part));
      connection.exec('RELEASE insert_in_parts');
      query.response = parts.flatMap(({ response }) => response);
      const changes = parts.map(({ context }) => context?.changes ?? 0);
      query.context = {
        lastID: parts.at(-1)?.context?.lastID ?? 0,
        changes: changes.reduce((sum, one) => sum + one),
      };
      return query;
    } catch (error) {
      rollBackInsert(connection);
      throw error;
    }
  }

  private run(connection: SqliteConnection, query: Query): Query {
    const { statement, read, target } = this.prepared(connection, query.sql);
    if (target !== undefined) {
      this.sendSavepoints(connection);
      connection.writes.note(target);
    }
    const bindings = this._formatBindings(query.bindings);
    if (read) {
      query.response = read(bindings);
      return query;
    }
    if (changesSchema.test(query.sql)) connection.statements.clear();
    const result = query.sql.startsWith('ROLLBACK')
      ? runRollback(connection, statement)
      : statement.run(...bindings);
    query.response = result;
    query.context = { lastID: Number(result.lastInsertRowid), changes: Number(result.changes) };
    return query;
  }

  private sendSavepoints(connection: SqliteConnection): void {
    for (const name of connection.unsentSavepoints)
      this.prepared(connection, `SAVEPOINT ${name};`).statement.run();
    if (connection.unsentSavepoints.length) connection.unsentSavepoints = [];
  }

  private prepared(connection: SqliteConnection, sql: string): Prepared {
    const { statements } = connection;
    let found = statements.get(sql);
    if (!found) {
      const statement = connection.prepare(sql);
      found = { statement, read: readAsArrays(statement), target: targetOf(sql) };
      if (sql.length > maxCachedLength) return found;
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
function runRollback(
  connection: SqliteConnection,
  statement: SqliteStatement,
): ReturnType<SqliteStatement['run']> {
  try {
    return statement.run();
  } catch (error) {
    if (/no transaction is active/.test((error as Error).message))
      return { lastInsertRowid: 0, changes: 0 };
    throw error;
  } finally {
    if (connection.wasFull) shrinkLog(connection);
    connection.wasFull = false;
  }
}

/**
 * Gives the space of the log back to the disk: a transaction that was rolled back leaves its pages
 * there. The log stays as it is if its connection is in a transaction, or if there is not even
 * space to write its committed pages to the database.
 */
function shrinkLog(connection: SqliteConnection): void {
  try {
    connection.exec(truncateLog);
  } catch (error) {
    if (!isDiskFull(error) && !isDeadlock(error)) throw error;
  }
}

/** Undoes part of an INSERT, unless SQLite has rolled back the transaction itself. */
function rollBackInsert(connection: SqliteConnection): void {
  try {
    connection.exec('ROLLBACK TO insert_in_parts; RELEASE insert_in_parts');
  } catch (error) {
    if (!/no such savepoint/.test((error as Error).message)) throw error;
  }
}

Object.assign(SqliteClient.prototype, { driverName: 'node:sqlite' });
