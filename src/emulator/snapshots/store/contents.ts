// Reads and replaces the entire contents of a database, for snapshots.
import { journalTables } from '../../journal/store.ts';
import { changeAllRevisions } from '../../../kernel/db/kept/revisions.ts';
import { orderBy } from '../../../kernel/db/keyset.ts';
import { shapesOf, type TableShape } from '../../../kernel/db/schema/shapes.ts';
import { withoutForeignKeys } from '../../../kernel/db/transaction.ts';
import type { Database, Db } from '../../../kernel/db/database.ts';
import type { Rows, Value } from '../model.ts';

/**
 * Tables of the emulator that snapshots leave out: they describe the database itself, or coordinate
 * the processes that use it.
 */
const excluded: ReadonlySet<string> = new Set([
  'cumulet_migrations',
  'cumulet_regions',
  'cumulet_snapshots',
  'cumulet_snapshot_parts',
  'cumulet_state',
  'cumulet_locks',
  'cumulet_revisions',
]);

/**
 * The tables that belong to a snapshot. The journal's do not, so that a restore leaves the recorded
 * requests in place. The names come from the database, so that new tables are always included.
 */
export const snapshotTables = async (database: Database, db: Db): Promise<TableShape[]> =>
  (await shapesOf(database, db)).filter(
    ({ name }) => !excluded.has(name) && !journalTables.test(name),
  );

/** How many rows are read at once; fewer from tables whose rows may be large. */
const pageSize = 500;
const largePageSize = 4;

/**
 * Reads the contents of a database. The caller's transaction makes them consistent: on MySQL its
 * first read takes the snapshot, and on SQLite writers wait for it. Empty tables are left out,
 * unless their auto-increment counter has advanced.
 */
export async function* contentsOf(database: Database, db: Db): AsyncGenerator<Rows> {
  const shapes = await snapshotTables(database, db);
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

/** The names of the tables that have rows, found with one query because most have none. */
async function filledTables(
  db: Db,
  shapes: readonly TableShape[],
  { kind }: Database,
): Promise<ReadonlySet<string>> {
  if (!shapes.length) return new Set();
  const select = shapes
    .map(() => 'SELECT ? AS name WHERE EXISTS (SELECT 1 FROM ??)')
    .join(' UNION ALL ');
  const found = (await db.raw(
    select,
    shapes.flatMap(({ name }) => [name, name]),
  )) as unknown;
  const rows = (kind === 'mysql' ? (found as unknown[])[0] : found) as { name: string }[];
  return new Set(rows.map(({ name }) => name));
}

async function* rowsOf(db: Db, shape: TableShape, next: number | undefined): AsyncGenerator<Rows> {
  const { name, columns, key } = shape;
  const order = key.map((column) => ({ column, descending: false }));
  const limit = columns.some(({ type }) => type === 'bytes') ? largePageSize : pageSize;
  const names = columns.map((column) => column.name);
  for (let last: Record<string, Value> | undefined; ;) {
    const query = db(name).select(names).limit(limit);
    orderBy(query, order, last && key.map((column) => last![column] as string | number));
    const found = (await query) as Record<string, Value>[];
    if (found.length || !last)
      yield { ...headOf(shape), next, rows: found.map((row) => names.map((one) => row[one]!)) };
    if (found.length < limit) return;
    last = found.at(-1);
  }
}

/** The next auto-increment ids of the tables that have assigned any. */
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
      // MySQL caches information_schema for up to a day, so it cannot be used here.
      const [[row]] = (await db.raw('SHOW CREATE TABLE ??', [name])) as [[Record<string, string>]];
      const next = /\bAUTO_INCREMENT=(\d+)/.exec(row['Create Table']!)?.[1];
      if (next !== undefined) found.set(name, Number(next));
    }),
  );
  return found;
}

/** The maximum number of rows and bytes in one INSERT statement. */
const maxRows = 64;
const maxBytes = 512 * 1024;

/**
 * Replaces all rows of a database with these, in the caller's transaction. SQLite checks foreign
 * keys at the end of the transaction. MySQL does not check them at all, so the rows must come from
 * a database that did.
 */
export async function replaceContents(
  database: Database,
  db: Db,
  contents: AsyncIterable<Rows>,
): Promise<void> {
  changeAllRevisions(db);
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
  const shapes = new Map((await snapshotTables(database, db)).map((shape) => [shape.name, shape]));
  const names = [...shapes.keys()];
  // Delete from all tables before inserting: deletes may cascade to other tables.
  await Promise.all(names.map((name) => db(name).delete()));
  if (
    database.kind === 'sqlite' &&
    [...shapes.values()].some(({ counter }) => counter !== undefined)
  )
    await db('sqlite_sequence').whereIn('name', names).delete();
  let table: string | undefined;
  for await (const batch of contents) {
    if (batch.table !== table && batch.next !== undefined)
      await setCounter(database, db, shapes.get(batch.table)!, batch.next);
    table = batch.table;
    await insertRows(db, batch);
  }
}

/** Inserts rows, in statements of limited size. */
export async function insertRows(db: Db, { table, columns, rows }: Rows): Promise<void> {
  for (let from = 0; from < rows.length;) {
    let bytes = 0;
    let to = from;
    while (to < rows.length && to - from < maxRows && bytes < maxBytes)
      bytes += sizeOf(rows[to++]!);
    const chunk = rows.slice(from, to);
    const row = `(${columns.map(() => '?').join(', ')})`;
    await db.raw(
      `INSERT INTO ?? (${columns.map(() => '??').join(', ')}) VALUES ` +
        chunk.map(() => row).join(', '),
      [table, ...columns, ...(chunk.flat() as string[])],
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

/** Sets the next auto-increment id of an empty table. */
export async function setCounter(
  { kind }: Database,
  db: Db,
  shape: TableShape,
  next: number,
): Promise<void> {
  if (next <= 1) return;
  const { name, counter, columns } = shape;
  if (kind === 'sqlite') return void (await db('sqlite_sequence').insert({ name, seq: next - 1 }));
  // ALTER TABLE would commit the transaction. Inserting and deleting a row also advances the
  // counter, and MySQL never moves it back.
  const placeholder = { text: '', number: 0, bytes: Buffer.alloc(0) } as const;
  const needed = columns.filter(({ name: one, nullable }) => !nullable && one !== counter);
  await db(name).insert({
    ...Object.fromEntries(needed.map(({ name: one, type }) => [one, placeholder[type]])),
    [counter!]: next - 1,
  });
  await db(name).delete();
}
