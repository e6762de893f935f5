// Finds rows of a temporary database that refer to rows that do not exist.
import type { Database } from '../../../kernel/db/database.ts';
import type { ScratchDatabase } from './scratch.ts';

interface ColumnName {
  readonly table: string;
  readonly column: string;
}

/** A column whose values occur in one of several others. */
export interface Reference {
  readonly from: ColumnName;
  readonly to: readonly ColumnName[];
}

/** A row with a broken reference. */
export interface BrokenReference extends ColumnName {
  readonly value: string | number;
  /** The number of the row in SQLite. */
  readonly rowid: number;
  /** The tables that lack what it refers to. */
  readonly missing: readonly string[];
}

/** Finds the first row with a broken foreign key. */
export async function brokenForeignKey({
  database,
}: ScratchDatabase): Promise<BrokenReference | undefined> {
  const { db } = database;
  const [first] = (await db.raw('PRAGMA foreign_key_check')) as {
    table: string;
    parent: string;
    rowid: number;
    fkid: number;
  }[];
  if (!first) return undefined;
  const { table, parent, rowid, fkid } = first;
  const keys = (await db.raw('SELECT * FROM pragma_foreign_key_list(?)', [table])) as {
    id: number;
    from: string;
  }[];
  const column = keys.find(({ id }) => id === fkid)!.from;
  return { table, column, rowid, value: await valueAt(database, first, column), missing: [parent] };
}

async function valueAt(
  { db }: Database,
  { table, rowid }: { readonly table: string; readonly rowid: number },
  column: string,
): Promise<string | number> {
  const row = (await db(table).where({ rowid }).first(column)) as Record<string, string | number>;
  return row[column]!;
}

/** Finds the first row that breaks one of these references. Empty texts and nulls are ignored. */
export async function brokenReference(
  { database: { db }, tables }: ScratchDatabase,
  references: readonly Reference[],
): Promise<BrokenReference | undefined> {
  for (const { from, to } of references) {
    const { table, column } = from;
    if (!tables.has(table)) continue;
    const query = db(table).whereNotNull(column).whereNot(column, '').orderBy('rowid');
    for (const target of to)
      query.whereNotExists((exists) => {
        const other = exists.from({ target: target.table }).select(db.raw('1'));
        void other.where(`target.${target.column}`, db.ref(`${table}.${column}`));
      });
    // SQLite would call `rowid` by the name of a primary key that is the same.
    const row = (await query.first('rowid as number', column)) as
      Record<string, string | number> | undefined;
    if (!row) continue;
    const missing = to.map((target) => target.table);
    return { table, column, rowid: Number(row['number']), value: row[column]!, missing };
  }
  return undefined;
}
