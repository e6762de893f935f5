// Checks an untrusted document row by row, in temporary databases with the tables of the document's
// schema version. The usual migrations then bring these databases up to date, so that no code here
// has to know older schemas.
import type { Migration } from '../../kernel/db/database.ts';
import type { ColumnShape, TableShape } from '../../kernel/db/shapes.ts';
import type { Cloud } from '../../kernel/model.ts';
import { headerFrom, jsonOf, lineError } from './document-reader.ts';
import { databasesOf, decode, headerOf } from './document.ts';
import type { Header, Line, Source, Value } from './model.ts';
import { contentsOf } from './store/contents.ts';
import {
  brokenReference,
  insertOrReject,
  migrateToCurrent,
  Scratch,
  setNextId,
  type ScratchDatabase,
} from './store/scratch.ts';

/**
 * Checks a document, and passes it to `use` if all of it is valid. `checkHeader` may reject it by
 * its header.
 * @throws 400 with the line of the first error
 */
export async function withDocument<T>(
  cloud: Cloud,
  lines: AsyncIterable<Line>,
  checkHeader: (header: Header) => void,
  use: (source: Source) => Promise<T>,
): Promise<T> {
  const scratch = new Scratch();
  try {
    const header = await new Checker(cloud, scratch, checkHeader).read(lines);
    const { central, regions } = headerOf(cloud, { frozenAt: null, offset: 0 }, 0);
    const { migrations } = regions[0]!;
    const current = {
      ...header,
      central,
      regions: header.regions.map((region) => ({ ...region, migrations })),
    };
    return await use({
      header: current,
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
  private readonly checkHeader: (header: Header) => void;
  private header: Header | undefined;
  private readonly started = new Set<string>();
  private current: ScratchDatabase | undefined;
  private table: TableShape | undefined;
  private columns: readonly ColumnShape[] = [];
  private readonly tables = new Set<string>();
  private rows: Value[][] = [];
  private text = 0;
  private total = 0;
  private hasEnded = false;

  constructor(cloud: Cloud, scratch: Scratch, checkHeader: (header: Header) => void) {
    this.cloud = cloud;
    this.scratch = scratch;
    this.checkHeader = checkHeader;
  }

  async read(lines: AsyncIterable<Line>): Promise<Header> {
    let last = 0;
    for await (const line of lines) {
      last = line.number;
      if (this.header) await this.readLine(line);
      else this.checkHeader((this.header = headerFrom(this.cloud, line)));
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
    await this.finishDatabase(number);
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
    await this.finishDatabase(line);
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

  /** Checks foreign keys of the current database and migrates it. */
  private async finishDatabase(line: number): Promise<void> {
    if (!this.current) return;
    const problem = await brokenReference(this.current);
    const { name } = this.current.database;
    if (problem !== undefined)
      throw lineError(line - 1, `in the database ${name}, which ends here, ${problem}`);
    await migrateToCurrent(this.current, this.migrationsOf(name));
    [this.current, this.table] = [undefined, undefined];
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
    this.tables.add(name);
    [this.table, this.columns] = [table, found as ColumnShape[]];
    if (next !== undefined) await setNextId(this.current, table, next as number);
  }

  private async readRow(values: readonly unknown[], { number, text }: Line): Promise<void> {
    const { table, columns } = this;
    if (!table) throw lineError(number, 'it is a row, but no table precedes it');
    if (values.length !== columns.length)
      throw lineError(number, `a row of ${table.name} needs ${columns.length} values`);
    for (const [index, column] of columns.entries()) {
      const expected = this.mismatch(values[index], column);
      if (expected !== undefined)
        throw lineError(number, `${table.name}.${column.name} must be ${expected}`);
    }
    this.rows.push(values.map(decode));
    this.text += text.length;
    this.total++;
    if (this.rows.length >= maxRows || this.text >= maxText) await this.flush(number + 1);
  }

  /**
   * What a value should be; undefined if it is. SQLite itself does not check types and lengths.
   */
  private mismatch(
    value: unknown,
    { type, nullable, longest: maxLength = Infinity }: ColumnShape,
  ): string | undefined {
    if (value === null) return nullable ? undefined : 'a value other than null';
    if (type === 'number') return Number.isFinite(value) ? undefined : 'a number';
    if (type === 'bytes')
      return isBase64((value as { base64?: unknown }).base64)
        ? undefined
        : 'bytes in {"base64": ...}';
    if (typeof value !== 'string') return 'a text';
    const isLong =
      this.cloud.central.kind === 'mysql' &&
      value.length > maxLength &&
      Array.from(value).length > maxLength;
    return isLong ? `a text of up to ${maxLength} characters` : undefined;
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

const isBase64 = (text: unknown): boolean =>
  typeof text === 'string' && text.length % 4 === 0 && !/[^A-Za-z0-9+/=]/.test(text);
