// Checks an untrusted document row by row, in temporary databases with the tables of the document's
// schema version. The usual migrations then bring these databases up to date, so that no code here
// has to know older schemas.
import type { Migration } from '../../kernel/db/database.ts';
import type { ColumnShape, TableShape } from '../../kernel/db/schema/shapes.ts';
import type { Cloud } from '../../kernel/model.ts';
import { brokenRule, references, wrongValue } from './column-rules.ts';
import { documentError, headerFrom, jsonOf, lineError } from './document-reader.ts';
import { databasesOf, decode, headerOf } from './document.ts';
import type { CheckedSource, Header, Line, Value } from './model.ts';
import { contentsOf } from './store/contents.ts';
import { brokenForeignKey, brokenReference, type BrokenReference } from './store/references.ts';
import {
  insertOrReject,
  migrateToCurrent,
  Scratch,
  setNextId,
  type ScratchDatabase,
} from './store/scratch.ts';

export interface Checks {
  /** Rejects a document by its header. */
  readonly checkHeader: (header: Header) => void;
  /** Whether references that no foreign key holds may be broken. */
  readonly allowsInconsistent?: boolean | undefined;
  /** What the message about such a reference ends with: how to admit it. */
  readonly hint?: string;
}

/**
 * Checks a document, and passes it to `use` if all of it is valid.
 * @throws 400 with the line of the first error
 */
export async function withDocument<T>(
  cloud: Cloud,
  lines: AsyncIterable<Line>,
  checks: Checks,
  use: (source: CheckedSource) => Promise<T>,
): Promise<T> {
  const scratch = new Scratch();
  try {
    const header = await new Checker(cloud, scratch, checks).read(lines);
    const { central, regions } = headerOf(cloud, { frozenAt: null, offset: 0 }, 0);
    const { migrations } = regions[0]!;
    const current = {
      ...header,
      central,
      regions: header.regions.map((region) => ({ ...region, migrations })),
    };
    return await use({
      header: current,
      size: scratch.size(),
      contents: (name) => contentsOf(scratch.at(name), scratch.at(name).db),
    });
  } finally {
    await scratch.close();
  }
}

/** The maximum number of rows, and of characters, that are checked at once. */
const maxRows = 64;
const maxText = 1024 * 1024;

/** Reads lines in order and keeps track of the current database and table. */
class Checker {
  private readonly cloud: Cloud;
  private readonly scratch: Scratch;
  private readonly checks: Checks;
  private header: Header | undefined;
  private readonly started = new Set<string>();
  private current: ScratchDatabase | undefined;
  private table: TableShape | undefined;
  private columns: readonly ColumnShape[] = [];
  /** The lines of the rows of each table in the current database. */
  private readonly tables = new Map<string, RowLines>();
  private rows: Value[][] = [];
  private text = 0;
  private total = 0;
  private hasEnded = false;

  constructor(cloud: Cloud, scratch: Scratch, checks: Checks) {
    this.cloud = cloud;
    this.scratch = scratch;
    this.checks = checks;
  }

  async read(lines: AsyncIterable<Line>): Promise<Header> {
    let last = 0;
    for await (const line of lines) {
      last = line.number;
      if (this.header) await this.readLine(line);
      else this.checks.checkHeader((this.header = headerFrom(this.cloud, line)));
    }
    if (!this.header) headerFrom(this.cloud, undefined);
    if (!this.hasEnded)
      throw lineError(last, 'the document is truncated: it ends here without its last line');
    return this.header!;
  }

  private async readLine(line: Line): Promise<void> {
    const { number } = line;
    if (this.hasEnded) throw lineError(number, 'it follows the last line of the document');
    const parsed = jsonOf(line);
    if (Array.isArray(parsed)) return this.readRow(parsed, line);
    const { database, table, columns, next, end, rows } = (parsed ?? {}) as Record<string, unknown>;
    await this.flush(number);
    if (typeof database === 'string') return this.startDatabase(database, number);
    if (typeof table === 'string') return this.startTable(table, columns, next, number);
    if (end !== true) throw lineError(number, 'it is not a database, table, row or end');
    await this.finishDatabase();
    const missing = databasesOf(this.header!).find(({ name }) => !this.started.has(name));
    if (missing) throw lineError(number, `the database ${missing.name} is missing`);
    if (rows !== this.total)
      throw lineError(number, `expected ${String(rows)} rows, found ${this.total}`);
    this.hasEnded = true;
  }

  private migrationsOf(name: string): readonly Migration[] {
    return name === this.header!.central.name
      ? this.cloud.centralMigrations
      : this.cloud.regionMigrations;
  }

  private async startDatabase(name: string, line: number): Promise<void> {
    await this.finishDatabase();
    const head = databasesOf(this.header!).find((one) => one.name === name);
    if (!head) throw lineError(line, `the header has no database '${name}'`);
    if (this.started.has(name)) throw lineError(line, `the database ${name} occurs twice`);
    this.started.add(name);
    this.tables.clear();
    const migrations = this.migrationsOf(name).filter((migration) =>
      head.migrations.includes(migration.name),
    );
    this.current = await this.scratch.open(name, migrations);
  }

  /**
   * Checks the references in the current database and migrates it. The rows of a document of the
   * current schema have been checked by then; those of an older one are checked now.
   */
  private async finishDatabase(): Promise<void> {
    const { current, header } = this;
    if (!current) return;
    this.refuse(await brokenForeignKey(current));
    const { name } = current.database;
    const migrations = this.migrationsOf(name);
    const head = databasesOf(header!).find((one) => one.name === name)!;
    const isCurrent = head.migrations.length === migrations.length;
    const migrated = await migrateToCurrent(current, migrations);
    if (!isCurrent) await checkRows(migrated);
    if (!this.checks.allowsInconsistent)
      this.refuse(await brokenReference(migrated, references()), isCurrent, this.checks.hint);
    [this.current, this.table] = [undefined, undefined];
  }

  /** @throws 400 with the line of a row with a broken reference, unless a migration has moved it */
  private refuse(broken: BrokenReference | undefined, hasLine = true, next = ''): void {
    if (!broken) return;
    const { table, column, value, missing, rowid } = broken;
    const reason =
      `${table}.${column} refers to ${JSON.stringify(value)}, which does not exist in ` +
      `${missing.join(', ')}${next}`;
    const line = hasLine ? this.tables.get(table)?.lineOf(rowid) : undefined;
    throw line === undefined
      ? documentError(`In the database ${this.current!.database.name}, ${reason}`)
      : lineError(line, reason);
  }

  private async startTable(
    name: string,
    columns: unknown,
    next: unknown,
    line: number,
  ): Promise<void> {
    if (!this.current) throw lineError(line, 'it is a table, but no database precedes it');
    const table = this.current.tables.get(name);
    if (!table)
      throw lineError(line, `the database ${this.current.database.name} has no table '${name}'`);
    if (this.tables.has(name)) throw lineError(line, `the table ${name} occurs twice`);
    if (!Array.isArray(columns) || !columns.length) throw lineError(line, 'a table needs columns');
    const found = columns.map((column) => table.columns.find((one) => one.name === column));
    const unknown = found.findIndex((column, index) => !column || found.indexOf(column) < index);
    if (unknown >= 0)
      throw lineError(
        line,
        `the column '${String(columns[unknown])}' does not exist in ${name}, or occurs twice`,
      );
    if (
      next !== undefined &&
      !(table.counter !== undefined && Number.isSafeInteger(next) && (next as number) > 0)
    )
      throw lineError(
        line,
        table.counter === undefined
          ? `next is only valid for a table that assigns ids, and ${name} does not`
          : `next must be the next id of ${name}: a positive integer`,
      );
    this.tables.set(name, new RowLines(table, line + 1));
    [this.table, this.columns] = [table, found as ColumnShape[]];
    if (next !== undefined) await setNextId(this.current, table, next as number);
  }

  private async readRow(values: readonly unknown[], { number, text }: Line): Promise<void> {
    const { table, columns } = this;
    if (!table) throw lineError(number, 'it is a row, but no table precedes it');
    if (values.length !== columns.length)
      throw lineError(number, `a row of ${table.name} needs ${columns.length} values`);
    const wrong = wrongValue(this.cloud.central.kind, table.name, columns, values);
    if (wrong) throw lineError(number, `${table.name}.${wrong.column} must be ${wrong.expected}`);
    const row = values.map(decode);
    this.tables.get(table.name)!.add(row, columns);
    this.rows.push(row);
    this.text += text.length;
    this.total++;
    if (this.rows.length >= maxRows || this.text >= maxText) await this.flush(number + 1);
  }

  /** Inserts the pending rows. `next` is the number of the line after the last of them. */
  private async flush(next: number): Promise<void> {
    const { rows, table } = this;
    if (!rows.length) return;
    [this.rows, this.text] = [[], 0];
    const columns = this.columns.map(({ name }) => name);
    const rejected = await insertOrReject(this.current!, { table: table!.name, columns, rows });
    if (rejected)
      throw lineError(
        next - rows.length + rejected.index,
        `the table ${table!.name} rejects it: ${rejected.reason}`,
      );
  }
}

/** Finds the line of a row by its number in SQLite, in a table that began empty. */
class RowLines {
  private readonly first: number;
  /** The name of a primary key of one number, which is also the row's number in SQLite. */
  private readonly key: string | undefined;
  private readonly keys: Value[] = [];

  constructor({ key, columns }: TableShape, first: number) {
    this.first = first;
    const isNumber = columns.find(({ name }) => name === key[0])?.type === 'number';
    this.key = key.length === 1 && isNumber ? key[0] : undefined;
  }

  add(row: readonly Value[], columns: readonly ColumnShape[]): void {
    if (this.key !== undefined)
      this.keys.push(row[columns.findIndex(({ name }) => name === this.key)] ?? null);
  }

  lineOf(rowid: number): number | undefined {
    const index = this.key === undefined ? rowid - 1 : this.keys.indexOf(rowid);
    return index < 0 ? undefined : this.first + index;
  }
}

/** Checks the rows of a migrated database, whose lines are not known any more. @throws 400 */
async function checkRows({ database }: ScratchDatabase): Promise<void> {
  for await (const { table, columns, rows } of contentsOf(database, database.db))
    for (const row of rows) {
      const wrong = brokenRule(table, columns, row);
      if (wrong)
        throw documentError(
          `In the database ${database.name}, ${table}.${wrong.column} must be ${wrong.expected}`,
        );
    }
}
