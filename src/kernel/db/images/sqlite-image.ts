// Images of SQLite databases: tables of the connection's temporary database, which is in memory.
// A restore looks at the tables that the connection has written since. SQLite compares those with
// the copies, and writes only what differs.
import type { Micros } from '../../clock.ts';
import type { Db } from '../database.ts';
import { connectionOf, type SqliteConnection } from '../drivers/sqlite-connection.ts';
import { groupedValues } from '../grouping.ts';
import type { TableShape } from '../schema/shapes.ts';
import { afterCommit } from '../transaction.ts';
import type { Image, IsTime } from './image.ts';

/** The columns of a table, as they are needed to compare and to copy its rows. */
interface CopiedTable {
  readonly name: string;
  /** The name of the copy. Its column `row` is the rowid of the row in the table. */
  readonly copy: string;
  readonly columns: readonly string[];
  readonly times: ReadonlySet<string>;
}

interface Statement {
  run(...values: readonly (number | string)[]): { readonly changes: number | bigint };
}

/** The prepared statements that restore a table. */
interface TableStatements {
  readonly name: string;
  /** Deletes the rows that are not in the image. */
  readonly deletion: Statement;
  /** Sets the times of the rows that are left; undefined for a table without times. */
  readonly timeUpdate: Statement | undefined;
  /** Inserts the rows that are missing. */
  readonly insertion: Statement;
}

interface Statements {
  /** Of the tables that have rows in the image. */
  readonly filled: readonly TableStatements[];
  /** Deletes all rows of the other tables, by name. */
  readonly emptying: ReadonlyMap<string, Statement>;
  /** Reset the ids that were assigned last. */
  readonly sequences: readonly Statement[];
}

const quoted = (name: string): string => `"${name}"`;

/** Copies the rows of tables. */
export async function takeSqliteImage(
  db: Db,
  shapes: readonly TableShape[],
  isTime: IsTime,
): Promise<Image> {
  const connection = await connectionOf(db);
  const prefix = `image_${++connection.images}`;
  const filled = connection.prepare(existing(shapes.map(({ name }) => name))).all() as {
    name: string;
  }[];
  const names = new Set(filled.map(({ name }) => name));
  const tables = shapes
    .filter(({ name }) => names.has(name))
    .map(({ name, columns: all }): CopiedTable => {
      const columns = all.map((column) => column.name);
      const times = new Set(columns.filter((column) => isTime(name, column)));
      return { name, copy: `temp.${prefix}_${name}`, columns, times };
    });
  for (const { name, copy, columns } of tables) {
    const list = columns.map(quoted).join(', ');
    connection.exec(
      `CREATE TABLE ${copy} (row INTEGER PRIMARY KEY, ${list});
      INSERT INTO ${copy} SELECT rowid, ${list} FROM main.${quoted(name)} ORDER BY rowid`,
    );
  }
  const cascades = connection.prepare(cascading).all() as { parent: string; child: string }[];
  const counting = shapes.filter(({ counter }) => counter !== undefined).map(({ name }) => name);
  const sequences = counting.length ? `temp.${prefix}_sequences` : undefined;
  if (sequences !== undefined)
    connection.exec(
      `CREATE TABLE ${sequences} AS SELECT name, seq FROM main.sqlite_sequence
      WHERE name IN (${counting.map(text).join(', ')})`,
    );
  return new SqliteImage(db, connection, {
    tables,
    children: groupedValues(
      cascades,
      ({ parent }) => parent,
      ({ child }) => child,
    ),
    empty: shapes.flatMap(({ name }) => (names.has(name) ? [] : [name])),
    counting,
    sequences,
  });
}

const text = (name: string): string => `'${name}'`;

/** A query for the names of those tables that have rows. */
const existing = (names: readonly string[]): string =>
  names
    .map((name) => `SELECT ${text(name)} AS name WHERE EXISTS (SELECT 1 FROM main.${quoted(name)})`)
    .join(' UNION ALL ') || 'SELECT 1 AS name WHERE 0';

/** Finds the tables whose rows change when a row that they refer to is changed or deleted. */
const cascading = `SELECT DISTINCT f."table" AS parent, m.name AS child
  FROM main.sqlite_master m JOIN pragma_foreign_key_list(m.name, 'main') f
  WHERE m.type = 'table' AND NOT (f.on_delete = 'NO ACTION' AND f.on_update = 'NO ACTION')`;

interface Copies {
  readonly tables: readonly CopiedTable[];
  /** The tables to which the foreign keys of others cascade. */
  readonly children: ReadonlyMap<string, readonly string[]>;
  /** The tables that have no rows. */
  readonly empty: readonly string[];
  /** The tables with auto-increment ids. */
  readonly counting: readonly string[];
  /** The copy of their last ids. */
  readonly sequences: string | undefined;
}

/** When the tables were those of the image, as far as has been committed. */
interface Synced {
  /** How many writes of the connection preceded. */
  readonly writes: number;
  /** What was added to the times. */
  readonly later: Micros;
}

class SqliteImage implements Image {
  private readonly connection: SqliteConnection;
  private readonly copies: Copies;
  private statements: Statements | undefined;
  private synced: Synced | undefined;

  /** @param db the transaction that takes the image */
  constructor(db: Db, connection: SqliteConnection, copies: Copies) {
    this.connection = connection;
    this.copies = copies;
    this.syncAtCommit(db, 0);
  }

  /** Everything that is written from now on differs from the image, if the transaction commits. */
  private syncAtCommit(db: Db, later: Micros): void {
    const { count: writes } = this.connection.writes;
    afterCommit(db, () => (this.synced = { writes, later }));
  }

  async restore(db: Db, later: Micros = 0): Promise<void> {
    const { connection, synced } = this;
    if ((await connectionOf(db)) !== connection)
      throw new Error('An image can only be restored by the connection that has taken it.');
    this.statements ??= prepareStatements(connection, this.copies);
    const { filled, emptying, sequences } = this.statements;
    const changed = this.changedTables();
    const isChanged = ({ name }: TableStatements): boolean => changed.has(name);
    const moved = later === synced?.later ? filled.filter(isChanged) : filled;
    connection.exec('PRAGMA defer_foreign_keys = ON');
    const written = new Set<string>();
    const write = (name: string, statement: Statement, ...values: readonly Micros[]): void => {
      if (statement.run(...values).changes) written.add(name);
    };
    // All deletions precede the insertions, because they cascade to other tables.
    for (const [name, statement] of emptying) if (changed.has(name)) write(name, statement);
    for (const { name, deletion } of filled.filter(isChanged)) write(name, deletion);
    // A set also iterates over what is added meanwhile.
    for (const name of written)
      for (const child of this.copies.children.get(name) ?? []) written.add(child);
    for (const { name, timeUpdate } of moved) if (timeUpdate) write(name, timeUpdate, later);
    for (const { name, insertion, timeUpdate } of filled.filter(isChanged))
      write(name, insertion, ...(timeUpdate ? [later] : []));
    for (const statement of sequences) statement.run();
    // Other images have to restore these tables again.
    for (const name of written) connection.writes.note(name);
    this.syncAtCommit(db, later);
  }

  /** The tables that may differ from the image in more than their times. */
  private changedTables(): ReadonlySet<string> {
    const { connection, synced } = this;
    const { tables, empty, children } = this.copies;
    const names = [...tables.map(({ name }) => name), ...empty];
    if (!synced) return new Set(names);
    const isWritten = (name: string): boolean => connection.writes.hasWritten(name, synced.writes);
    const changed = new Set(names.filter(isWritten));
    // A set also iterates over what is added meanwhile.
    for (const name of changed) for (const child of children.get(name) ?? []) changed.add(child);
    return changed;
  }

  async drop(db: Db): Promise<void> {
    const { tables, sequences } = this.copies;
    const copies = [...tables.map(({ copy }) => copy), ...(sequences ? [sequences] : [])];
    const connection = await connectionOf(db);
    connection.exec(copies.map((copy) => `DROP TABLE IF EXISTS ${copy};`).join(' '));
  }
}

function prepareStatements(
  connection: SqliteConnection,
  { tables, empty, counting, sequences }: Copies,
): Statements {
  const prepare = (sql: string) => connection.prepare(sql) as unknown as Statement;
  return {
    filled: tables.map((table) => ({
      name: table.name,
      deletion: prepare(deletionOf(table)),
      timeUpdate: table.times.size ? prepare(timeUpdateOf(table)) : undefined,
      insertion: prepare(insertionOf(table)),
    })),
    emptying: new Map(empty.map((name) => [name, prepare(`DELETE FROM main.${quoted(name)}`)])),
    sequences:
      sequences === undefined
        ? []
        : [
            `DELETE FROM main.sqlite_sequence WHERE name IN (${counting.map(text).join(', ')})`,
            `INSERT INTO main.sqlite_sequence (name, seq) SELECT name, seq FROM ${sequences}`,
          ].map(prepare),
  };
}

/** Deletes the rows that differ from the image, except in their times. */
function deletionOf({ name, copy, columns, times }: CopiedTable): string {
  const same = columns
    .filter((column) => !times.has(column))
    .map((column) => `AND i.${quoted(column)} IS t.${quoted(column)}`);
  return `DELETE FROM main.${quoted(name)} AS t WHERE NOT EXISTS
    (SELECT 1 FROM ${copy} AS i WHERE i.row = t.rowid ${same.join(' ')})`;
}

/** A time of the image, moved. Null and 0, which some columns have for never, are kept. */
const movedTime = (column: string): string => `iif(i.${column} = 0, 0, i.${column} + ?1)`;

/** Sets the times of all rows to those of the image, if they differ. */
function timeUpdateOf({ name, copy, times }: CopiedTable): string {
  const columns = [...times].map(quoted);
  const set = columns.map((column) => `${column} = ${movedTime(column)}`);
  const differs = columns.map((column) => `t.${column} IS NOT ${movedTime(column)}`);
  return `UPDATE main.${quoted(name)} AS t SET ${set.join(', ')} FROM ${copy} AS i
    WHERE i.row = t.rowid AND (${differs.join(' OR ')})`;
}

function insertionOf({ name, copy, columns, times }: CopiedTable): string {
  const values = columns.map((column) =>
    times.has(column) ? movedTime(quoted(column)) : `i.${quoted(column)}`,
  );
  return `INSERT INTO main.${quoted(name)} (rowid, ${columns.map(quoted).join(', ')})
    SELECT i.row, ${values.join(', ')} FROM ${copy} AS i
    WHERE NOT EXISTS (SELECT 1 FROM main.${quoted(name)} AS t WHERE t.rowid = i.row)`;
}
