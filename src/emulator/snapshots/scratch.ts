// Databases beside the cloud, in files that go again: rows that anyone may have written are checked
// in one by its tables and keys.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countFrom, insertRows, keptTables, type Rows } from './contents.ts';
import type { Database, Migration } from '../../kernel/db/database.ts';
import { migrate } from '../../kernel/db/migrate.ts';
import { openDatabase } from '../../kernel/db/open.ts';
import type { TableShape } from '../../kernel/db/shapes.ts';

/** A database of a scratch, with its tables by name. */
export interface ScratchDatabase {
  readonly database: Database;
  readonly tables: ReadonlyMap<string, TableShape>;
}

/**
 * Databases in a folder of their own. Keys that refer to other rows are looked at when all rows are
 * there.
 */
export class Scratch {
  private readonly folder = mkdtempSync(join(tmpdir(), 'cumulet-import-'));
  private readonly opened = new Map<string, Database>();

  /** Makes an empty database with the tables of these migrations. */
  async open(name: string, migrations: readonly Migration[]): Promise<ScratchDatabase> {
    const database = await openDatabase({ kind: 'sqlite', folder: this.folder }, name, migrations);
    this.opened.set(name, database);
    await database.db.raw('PRAGMA synchronous = OFF');
    await database.db.raw('PRAGMA foreign_keys = OFF');
    const tables = await keptTables(database, database.db);
    // what migrations have written
    for (const table of tables) await database.db(table.name).delete();
    return { database, tables: new Map(tables.map((table) => [table.name, table])) };
  }

  /** A database that was opened. */
  at = (name: string): Database => this.opened.get(name)!;

  /** Closes the databases, and removes them. */
  async close(): Promise<void> {
    for (const { db } of this.opened.values()) await db.destroy();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Lets a table go on with ids from `next`. */
export const setNext = (
  { database }: ScratchDatabase,
  table: TableShape,
  next: number,
): Promise<void> => countFrom(database, database.db, table, next);

/**
 * Inserts rows.
 * @returns the place of the first that is refused, and why; undefined where none is
 */
export async function refusalOf(
  { database: { db } }: ScratchDatabase,
  rows: Rows,
): Promise<{ at: number; why: string } | undefined> {
  try {
    await db.transaction((trx) => insertRows(trx, rows));
    return undefined;
  } catch {
    for (const [at, row] of rows.rows.entries()) {
      try {
        await insertRows(db, { ...rows, rows: [row] });
      } catch (error) {
        return { at, why: (error as Error).message.replace(/^.* - (?=[A-Z])/s, '') };
      }
    }
    return undefined;
  }
}

/** The first row that refers to one that is not there, as a sentence; undefined where none does. */
export async function brokenReference({
  database: { db },
}: ScratchDatabase): Promise<string | undefined> {
  const [first] = (await db.raw('PRAGMA foreign_key_check')) as { table: string; parent: string }[];
  return first && `a row of ${first.table} refers to a row of ${first.parent} that is not there`;
}

/** Brings the tables up to date, with what they hold. */
export const upToDate = (
  { database }: ScratchDatabase,
  migrations: readonly Migration[],
): Promise<void> => migrate(database, migrations);
