// All that a database holds, read table by table as it is at one moment, and put back: what
// snapshots are made of.
import { journalTables } from '../journal/store.ts';
import { orderBy } from '../../kernel/db/keyset.ts';
import { shapesOf, type TableShape } from '../../kernel/db/shapes.ts';
import { withoutForeignKeys } from '../../kernel/db/transaction.ts';
import type { Database, Db } from '../../kernel/db/database.ts';

/** A value of a row, on either database. */
export type Value = string | number | null | Uint8Array;

/** Rows of one table: some of them, in the order of its key. */
export interface Rows {
  readonly table: string;
  readonly columns: readonly string[];
  /** The id that the table gives next, where it has given any. */
  readonly next?: number | undefined;
  readonly rows: readonly (readonly Value[])[];
}

/**
 * The emulator's own tables that are in no snapshot: what a database is, and what processes agree
 * by.
 */
const leftAlone: ReadonlySet<string> = new Set([
  'cumulet_migrations',
  'cumulet_regions',
  'cumulet_snapshots',
  'cumulet_snapshot_parts',
  'cumulet_state',
  'cumulet_locks',
]);

/**
 * The tables that are in a snapshot: not those of the journal, which says what was asked, also
 * before a restore. The names come from the database, so that no new table can be forgotten.
 */
export const keptTables = async (database: Database, db: Db): Promise<TableShape[]> =>
  (await shapesOf(database, db)).filter(
    ({ name }) => !leftAlone.has(name) && !journalTables.test(name),
  );

/** How many rows are read at once; fewer where each may be large. */
const atOnce = 500;
const largeAtOnce = 4;

/**
 * Reads all that the database holds, within a transaction that sees one moment: on MySQL its first
 * read takes the snapshot, and on SQLite writers wait for it. A table without rows is there only
 * where it gives ids that go on from something.
 */
export async function* contentsOf(database: Database, db: Db): AsyncGenerator<Rows> {
  const shapes = await keptTables(database, db);
  const filled = await filledTables(db, shapes, database);
  const counters = await countersOf(database, db, shapes);
  for (const shape of shapes) {
    const next = counters.get(shape.name);
    if (filled.has(shape.name)) yield* rowsOf(db, shape, next);
    else if (next !== undefined) yield { ...headOf(shape), next, rows: [] };
  }
}

const headOf = ({ name, columns }: TableShape) => ({
  table: name,
  columns: columns.map((column) => column.name),
});

/** The names of the tables that have rows, with one query: most have none. */
async function filledTables(
  db: Db,
  shapes: readonly TableShape[],
  { kind }: Database,
): Promise<ReadonlySet<string>> {
  if (!shapes.length) return new Set();
  const one = shapes
    .map(() => 'SELECT ? AS name WHERE EXISTS (SELECT 1 FROM ??)')
    .join(' UNION ALL ');
  const found = (await db.raw(
    one,
    shapes.flatMap(({ name }) => [name, name]),
  )) as unknown;
  const rows = (kind === 'mysql' ? (found as unknown[])[0] : found) as { name: string }[];
  return new Set(rows.map(({ name }) => name));
}

async function* rowsOf(db: Db, shape: TableShape, next: number | undefined): AsyncGenerator<Rows> {
  const { name, columns, key } = shape;
  const order = key.map((column) => ({ column, descending: false }));
  const most = columns.some(({ type }) => type === 'bytes') ? largeAtOnce : atOnce;
  const names = columns.map((column) => column.name);
  for (let last: Record<string, Value> | undefined; ;) {
    const query = db(name).select(names).limit(most);
    orderBy(query, order, last && key.map((column) => last![column] as string | number));
    const found = (await query) as Record<string, Value>[];
    if (found.length || !last)
      yield { ...headOf(shape), next, rows: found.map((row) => names.map((one) => row[one]!)) };
    if (found.length < most) return;
    last = found.at(-1);
  }
}

/** The ids that tables give next, where they have given any. */
async function countersOf(
  { kind }: Database,
  db: Db,
  shapes: readonly TableShape[],
): Promise<Map<string, number>> {
  const counting = shapes.filter(({ counter }) => counter !== undefined);
  const found = new Map<string, number>();
  if (!counting.length) return found;
  if (kind === 'sqlite') {
    const rows = (await db('sqlite_sequence').orderBy('name').select('name', 'seq')) as {
      name: string;
      seq: number;
    }[];
    const names = new Set(counting.map(({ name }) => name));
    for (const { name, seq } of rows) if (names.has(name) && seq > 0) found.set(name, seq + 1);
    return found;
  }
  await Promise.all(
    counting.map(async ({ name }) => {
      // MySQL's information_schema may be a day old; this is not.
      const [[row]] = (await db.raw('SHOW CREATE TABLE ??', [name])) as [[Record<string, string>]];
      const next = /\bAUTO_INCREMENT=(\d+)/.exec(row['Create Table']!)?.[1];
      if (next !== undefined) found.set(name, Number(next));
    }),
  );
  return found;
}

/** How many rows, and how many bytes of them, go into one statement. */
const mostRows = 64;
const mostBytes = 512 * 1024;

/**
 * Makes the database hold these rows and no others, in a transaction that the caller has. Foreign
 * keys are looked at when all is there: by SQLite when the transaction ends, by MySQL not at all,
 * so that the rows must be of a database that held them to its keys.
 */
export async function putContents(
  database: Database,
  db: Db,
  contents: AsyncIterable<Rows>,
): Promise<void> {
  if (database.kind === 'mysql')
    return withoutForeignKeys(db, () => replaceRows(database, db, contents));
  await db.raw('PRAGMA defer_foreign_keys = ON');
  await replaceRows(database, db, contents);
}

async function replaceRows(
  database: Database,
  db: Db,
  contents: AsyncIterable<Rows>,
): Promise<void> {
  const shapes = new Map((await keptTables(database, db)).map((shape) => [shape.name, shape]));
  const names = [...shapes.keys()];
  // First all go: a row that goes may take others along.
  await Promise.all(names.map((name) => db(name).delete()));
  if (
    database.kind === 'sqlite' &&
    [...shapes.values()].some(({ counter }) => counter !== undefined)
  )
    await db('sqlite_sequence').whereIn('name', names).delete();
  let table: string | undefined;
  for await (const some of contents) {
    if (some.table !== table && some.next !== undefined)
      await countFrom(database, db, shapes.get(some.table)!, some.next);
    table = some.table;
    await insertRows(db, some);
  }
}

/** Inserts rows, a few at once. */
export async function insertRows(db: Db, { table, columns, rows }: Rows): Promise<void> {
  for (let from = 0; from < rows.length;) {
    let bytes = 0;
    let to = from;
    while (to < rows.length && to - from < mostRows && bytes < mostBytes)
      bytes += sizeOf(rows[to++]!);
    const some = rows.slice(from, to);
    const row = `(${columns.map(() => '?').join(', ')})`;
    await db.raw(
      `INSERT INTO ?? (${columns.map(() => '??').join(', ')}) VALUES ${some.map(() => row).join(', ')}`,
      [table, ...columns, ...(some.flat() as string[])],
    );
    from = to;
  }
}

const sizeOf = (row: readonly Value[]): number =>
  row.reduce<number>(
    (sum, value) =>
      sum + (typeof value === 'object' || typeof value === 'string' ? (value?.length ?? 0) : 8),
    0,
  );

/** Lets an empty table go on with ids from `next`. */
export async function countFrom(
  { kind }: Database,
  db: Db,
  shape: TableShape,
  next: number,
): Promise<void> {
  if (next <= 1) return;
  const { name, counter, columns } = shape;
  if (kind === 'sqlite') return void (await db('sqlite_sequence').insert({ name, seq: next - 1 }));
  // ALTER TABLE would commit: a row that comes and goes leaves the counter behind it, which MySQL
  // never locks back.
  const nothing = { text: '', number: 0, bytes: Buffer.alloc(0) } as const;
  const needed = columns.filter(({ name: one, nullable }) => !nullable && one !== counter);
  await db(name).insert({
    ...Object.fromEntries(needed.map(({ name: one, type }) => [one, nothing[type]])),
    [counter!]: next - 1,
  });
  await db(name).delete();
}
