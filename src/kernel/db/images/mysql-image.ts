// Images of MySQL databases: the text of the statements that insert their rows. A restore sends
// them all in one packet.
import type { Micros } from '../../clock.ts';
import { loadMysql } from '../../lazy.ts';
import type { Db } from '../database.ts';
import type { Stored } from '../columns.ts';
import type { TableShape } from '../shapes.ts';
import { withoutForeignKeys } from '../transaction.ts';
import type { Image, IsTime } from './image.ts';

/** How long the text of an INSERT gets: far below the maximum size of a packet. */
const textLength = 256 * 1024;

/** Copies the rows of tables. */
export async function takeMysqlImage(
  db: Db,
  shapes: readonly TableShape[],
  isTime: IsTime,
): Promise<Image> {
  const inserts: string[] = [];
  const copies = await Promise.all(
    shapes.map(async ({ name, columns }) => {
      const names = columns.map((column) => column.name);
      return [name, names, (await db(name).select(names)) as Record<string, Stored>[]] as const;
    }),
  );
  for (const [name, columns, rows] of copies)
    inserts.push(...insertsOf(name, columns, rows, isTime));
  return new MysqlImage(
    shapes.map(({ name }) => name),
    inserts,
  );
}

class MysqlImage implements Image {
  private readonly tables: readonly string[];
  private inserts: readonly string[];

  constructor(tables: readonly string[], inserts: readonly string[]) {
    this.tables = tables;
    this.inserts = inserts;
  }

  async restore(db: Db, later: Micros = 0): Promise<void> {
    await withoutForeignKeys(db, () =>
      Promise.all([
        ...this.tables.map((name) => db(name).delete()),
        db.raw(`SET @later = ${later}`),
        ...this.inserts.map((sql) => db.raw(sql)),
      ]),
    );
  }

  async drop(): Promise<void> {
    this.inserts = [];
  }
}

/** Statements that insert these rows, with times that are later by the variable @later. */
function* insertsOf(
  table: string,
  columns: readonly string[],
  rows: readonly Record<string, Stored>[],
  isTime: IsTime,
): Generator<string> {
  const { escape } = loadMysql();
  const times = new Set(columns.filter((column) => isTime(table, column)));
  const start = `INSERT INTO \`${table}\` (${columns.map((name) => `\`${name}\``).join(', ')}) VALUES `;
  let [texts, length]: [string[], number] = [[], 0];
  for (const row of rows) {
    const values = columns.map((column) => {
      const value = escape(row[column]);
      // Some columns have 0 for never.
      return times.has(column) && Number(row[column]) !== 0 ? `${value} + @later` : value;
    });
    const text = `(${values.join(', ')})`;
    texts.push(text);
    length += text.length;
    if (length < textLength) continue;
    yield start + texts.join(', ');
    [texts, length] = [[], 0];
  }
  if (texts.length) yield start + texts.join(', ');
}
