// Images of MySQL databases: the text of the statements that insert their rows. A restore leaves
// large tables as they are if their digest is that of the image.
import type { Micros } from '../../clock.ts';
import { loadMysql } from '../../lazy.ts';
import type { Stored } from '../columns.ts';
import type { Db } from '../database.ts';
import { pipelined } from '../pipelined.ts';
import type { TableShape } from '../schema/shapes.ts';
import { runWithoutForeignKeys } from '../transaction.ts';
import type { Image, IsTime } from './image.ts';

/** How long the text of an INSERT gets: far below the maximum size of a packet. */
const textLength = 256 * 1024;

/** From this length of its INSERTs on, comparing a table is faster than to write it again. */
const comparedLength = 4 * 1024;

interface CopiedTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly times: ReadonlySet<string>;
  /** Statements that insert the rows, with times that are later by the variable @later. */
  readonly inserts: readonly string[];
}

/** Two tables with the same digest have the same rows, except that all times may have moved. */
interface Digest {
  /** The last of all times, from which the digest counts the others. */
  readonly last: Micros;
  readonly rows: string;
}

/** Copies the rows of tables. */
export async function takeMysqlImage(
  db: Db,
  shapes: readonly TableShape[],
  isTime: IsTime,
): Promise<Image> {
  const tables = await pipelined(
    shapes.map(async ({ name, columns: all }): Promise<CopiedTable> => {
      const columns = all.map((column) => column.name);
      const times = new Set(columns.filter((column) => isTime(name, column)));
      const rows = (await db(name).select(columns)) as Record<string, Stored>[];
      const inserts = [...insertsOf({ name, columns, times }, rows)];
      return { name, columns, times, inserts };
    }),
  );
  const large = tables.filter(({ inserts }) => inserts.join().length >= comparedLength);
  return new MysqlImage(tables, await digestsOf(db, large));
}

class MysqlImage implements Image {
  private tables: readonly CopiedTable[];
  /** The digests of the large tables that have been the same at every restore. */
  private readonly digests: Map<CopiedTable, Digest>;

  constructor(tables: readonly CopiedTable[], digests: Map<CopiedTable, Digest>) {
    this.tables = tables;
    this.digests = digests;
  }

  async restore(db: Db, later: Micros = 0): Promise<void> {
    const current = await digestsOf(db, [...this.digests.keys()]);
    const moves: string[] = [];
    for (const [table, { last, rows }] of current) {
      const digest = this.digests.get(table)!;
      const move = digest.last + later - last;
      // One test writes to the same tables as the one before it.
      if (rows !== digest.rows) this.digests.delete(table);
      else if (move && table.times.size) moves.push(timeUpdateOf(table, move));
    }
    const different = this.tables.filter((table) => !this.digests.has(table));
    await runWithoutForeignKeys(db, [
      ...different.map(({ name }) => `DELETE FROM \`${name}\``),
      `SET @later = ${later}`,
      ...different.flatMap(({ inserts }) => inserts),
      ...moves,
    ]);
  }

  async drop(): Promise<void> {
    this.tables = [];
    this.digests.clear();
  }
}

/** Locks the rows of tables, so that other transactions end before, and reads their digests. */
async function digestsOf(
  db: Db,
  tables: readonly CopiedTable[],
): Promise<Map<CopiedTable, Digest>> {
  const queries = tables.flatMap((table) => [
    db.raw(lastTimeQuery(table)),
    db.raw(digestQuery(table)),
  ]);
  const answers = (await pipelined(queries)) as [Digest[]][];
  return new Map(tables.map((table, index) => [table, answers[2 * index + 1]![0][0]!]));
}

function lastTimeQuery({ name, times }: CopiedTable): string {
  const set = [...times].map((column) => `IFNULL(\`${column}\`, 0)`);
  return `SET @last = (SELECT MAX(GREATEST(${['0', '0', ...set].join(', ')})) FROM \`${name}\`)`;
}

/** Combines the digests of the rows in a way that does not depend on their order. */
function digestQuery({ name, columns, times }: CopiedTable): string {
  const values = columns.map((column) =>
    // QUOTE tells null from text, and one value from the next.
    times.has(column) ? `QUOTE(${movedTime(column, '- @last')})` : `QUOTE(\`${column}\`)`,
  );
  // The server has no digest of a row that is too large for its functions: such rows always differ.
  const md5 = `IFNULL(MD5(CONCAT_WS(',', ${values.join(', ')})), MD5(UUID()))`;
  return (
    'SELECT @last AS last, CONCAT(COUNT(*), ' +
    `' ', HEX(BIT_XOR(CAST(CONV(LEFT(${md5}, 16), 16, 10) AS UNSIGNED)))) AS \`rows\` FROM \`${name}\` FOR UPDATE`
  );
}

/** A time with a term added. Null and 0, which some columns have for never, are kept. */
const movedTime = (column: string, term: string): string =>
  `IF(\`${column}\` = 0, 0, \`${column}\` ${term})`;

function timeUpdateOf({ name, times }: CopiedTable, move: Micros): string {
  const moved = [...times].map((column) => `\`${column}\` = ${movedTime(column, `+ ${move}`)}`);
  return `UPDATE \`${name}\` SET ${moved.join(', ')}`;
}

function* insertsOf(
  { name, columns, times }: Omit<CopiedTable, 'inserts'>,
  rows: readonly Record<string, Stored>[],
): Generator<string> {
  const { escape } = loadMysql();
  const start = `INSERT INTO \`${name}\` (${columns.map((column) => `\`${column}\``).join(', ')}) VALUES `;
  let [texts, length]: [string[], number] = [[], 0];
  for (const row of rows) {
    const values = columns.map((column) => {
      const value = escape(row[column]);
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
