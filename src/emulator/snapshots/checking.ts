// Checking a document, row by row, in databases beside the cloud that have the tables of its level.
// They are brought up to date then by the same migrations as any database, so that no older level
// has to be known here.
import { contentsOf, type Value } from './contents.ts';
import type { Migration } from '../../kernel/db/database.ts';
import {
  brokenReference,
  refusalOf,
  Scratch,
  setNext,
  upToDate,
  type ScratchDatabase,
} from './scratch.ts';
import type { ColumnShape, TableShape } from '../../kernel/db/shapes.ts';
import type { Cloud } from '../../kernel/model.ts';
import { databasesOf, headerOf, read, type Header, type Source } from './document.ts';
import { broken, headerFrom, jsonOf, type Line } from './reading.ts';

/**
 * Reads a document, and hands it on when all of it is right. `accepts` may refuse it by its header.
 * @throws 400 with the place of what is wrong
 */
export async function withDocument<T>(
  cloud: Cloud,
  lines: AsyncIterable<Line>,
  accepts: (header: Header) => void,
  use: (source: Source) => Promise<T>,
): Promise<T> {
  const scratch = new Scratch();
  try {
    const header = await new Checker(cloud, scratch, accepts).read(lines);
    const { central, regions } = headerOf(cloud, { frozenAt: null, offset: 0 }, 0);
    const { migrations } = regions[0]!;
    const present = {
      ...header,
      central,
      regions: header.regions.map((region) => ({ ...region, migrations })),
    };
    return await use({
      header: present,
      contents: (name) => contentsOf(scratch.at(name), scratch.at(name).db),
    });
  } finally {
    await scratch.close();
  }
}

/** How many rows are checked at once, and how many characters of lines. */
const mostRows = 64;
const mostText = 1024 * 1024;

/** Reads the lines one after the other, and knows where it is. */
class Checker {
  private readonly cloud: Cloud;
  private readonly scratch: Scratch;
  private readonly accepts: (header: Header) => void;
  private header: Header | undefined;
  private readonly begun = new Set<string>();
  private at: ScratchDatabase | undefined;
  private table: TableShape | undefined;
  private columns: readonly ColumnShape[] = [];
  private readonly tables = new Set<string>();
  private rows: Value[][] = [];
  private text = 0;
  private total = 0;
  private isWhole = false;

  constructor(cloud: Cloud, scratch: Scratch, accepts: (header: Header) => void) {
    this.cloud = cloud;
    this.scratch = scratch;
    this.accepts = accepts;
  }

  async read(lines: AsyncIterable<Line>): Promise<Header> {
    let last = 0;
    for await (const line of lines) {
      last = line.number;
      if (this.header) await this.take(line);
      else this.accepts((this.header = headerFrom(this.cloud, line)));
    }
    if (!this.header) headerFrom(this.cloud, undefined);
    if (!this.isWhole) throw broken(last, 'the document ends here, and is cut off');
    return this.header!;
  }

  private async take(line: Line): Promise<void> {
    const { number } = line;
    if (this.isWhole) throw broken(number, 'the document has ended before');
    const told = jsonOf(line);
    if (Array.isArray(told)) return this.row(told, line);
    const { database, table, columns, next, end, rows } = (told ?? {}) as Record<string, unknown>;
    await this.flush(number);
    if (typeof database === 'string') return this.begin(database, number);
    if (typeof table === 'string') return this.head(table, columns, next, number);
    if (end !== true) throw broken(number, 'it is no database, table, row or end');
    await this.finish(number);
    const missing = databasesOf(this.header!).find(({ name }) => !this.begun.has(name));
    if (missing) throw broken(number, `the database ${missing.name} is missing`);
    if (rows !== this.total)
      throw broken(number, `there should be ${String(rows)} rows, and ${this.total} are there`);
    this.isWhole = true;
  }

  private migrationsOf(name: string): readonly Migration[] {
    return name === this.header!.central.name
      ? this.cloud.centralMigrations
      : this.cloud.regionMigrations;
  }

  private async begin(name: string, line: number): Promise<void> {
    await this.finish(line);
    const head = databasesOf(this.header!).find((one) => one.name === name);
    if (!head) throw broken(line, `the header has no database '${name}'`);
    if (this.begun.has(name)) throw broken(line, `the database ${name} is there twice`);
    this.begun.add(name);
    this.tables.clear();
    const level = this.migrationsOf(name).filter((migration) =>
      head.migrations.includes(migration.name),
    );
    this.at = await this.scratch.open(name, level);
  }

  /** Ends the database that is being read. */
  private async finish(line: number): Promise<void> {
    if (!this.at) return;
    const why = await brokenReference(this.at);
    const { name } = this.at.database;
    if (why !== undefined)
      throw broken(line - 1, `in the database ${name}, which ends here, ${why}`);
    await upToDate(this.at, this.migrationsOf(name));
    [this.at, this.table] = [undefined, undefined];
  }

  private async head(name: string, columns: unknown, next: unknown, line: number): Promise<void> {
    if (!this.at) throw broken(line, 'it comes before a database');
    const table = this.at.tables.get(name);
    const where = `the database ${this.at.database.name} has`;
    if (!table) throw broken(line, `${where} no table '${name}'`);
    if (this.tables.has(name)) throw broken(line, `the table ${name} is there twice`);
    if (!Array.isArray(columns) || !columns.length) throw broken(line, 'a table has columns');
    const found = columns.map((column) => table.columns.find((one) => one.name === column));
    const unknown = found.findIndex((column, at) => !column || found.indexOf(column) < at);
    if (unknown >= 0)
      throw broken(
        line,
        `the table ${name} has no column '${String(columns[unknown])}', or has it once`,
      );
    if (
      next !== undefined &&
      !(table.counter !== undefined && Number.isSafeInteger(next) && (next as number) > 0)
    )
      throw broken(
        line,
        `next is the id that the table gives next, and ${name} ${table.counter === undefined ? 'gives none' : 'gives numbers'}`,
      );
    this.tables.add(name);
    [this.table, this.columns] = [table, found as ColumnShape[]];
    if (next !== undefined) await setNext(this.at, table, next as number);
  }

  private async row(values: readonly unknown[], { number, text }: Line): Promise<void> {
    const { table, columns } = this;
    if (!table) throw broken(number, 'it is a row, and comes before a table');
    if (values.length !== columns.length)
      throw broken(number, `a row of ${table.name} has ${columns.length} values`);
    for (const [at, column] of columns.entries()) {
      const why = this.wrongIn(values[at], column);
      if (why !== undefined) throw broken(number, `${table.name}.${column.name} is ${why}`);
    }
    this.rows.push(values.map(read));
    this.text += text.length;
    this.total++;
    if (this.rows.length >= mostRows || this.text >= mostText) await this.flush(number + 1);
  }

  /** What a value should be; undefined where it is. SQLite would take any. */
  private wrongIn(
    value: unknown,
    { type, nullable, longest = Infinity }: ColumnShape,
  ): string | undefined {
    if (value === null) return nullable ? undefined : 'never null';
    if (type === 'number') return Number.isFinite(value) ? undefined : 'a number';
    if (type === 'bytes')
      return isBase64((value as { base64?: unknown }).base64)
        ? undefined
        : 'bytes in {"base64": ...}';
    if (typeof value !== 'string') return 'a text';
    const isLong =
      this.cloud.central.kind === 'mysql' &&
      value.length > longest &&
      Array.from(value).length > longest;
    return isLong ? `a text of up to ${longest} characters` : undefined;
  }

  /** Inserts the rows that were read, of which `next` is the number of the line after the last. */
  private async flush(next: number): Promise<void> {
    const { rows, table } = this;
    if (!rows.length) return;
    [this.rows, this.text] = [[], 0];
    const columns = this.columns.map(({ name }) => name);
    const refused = await refusalOf(this.at!, { table: table!.name, columns, rows });
    if (refused)
      throw broken(
        next - rows.length + refused.at,
        `the table ${table!.name} refuses it: ${refused.why}`,
      );
  }
}

const isBase64 = (text: unknown): boolean =>
  typeof text === 'string' && text.length % 4 === 0 && !/[^A-Za-z0-9+/=]/.test(text);
