// Temporary SQLite databases that validate imported rows with real tables and foreign keys.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Database, Migration } from '../../../kernel/db/database.ts';
import { migrate } from '../../../kernel/db/schema/migrate.ts';
import { openDatabase } from '../../../kernel/db/open.ts';
import type { TableShape } from '../../../kernel/db/schema/shapes.ts';
import type { Rows } from '../model.ts';
import { insertRows, setCounter, snapshotTables } from './contents.ts';

/** A temporary database and its tables by name. */
export interface ScratchDatabase {
  readonly database: Database;
  readonly tables: ReadonlyMap<string, TableShape>;
}

/**
 * Temporary databases in a folder of their own. They do not enforce foreign keys while rows are
 * inserted; `references.ts` checks them afterwards.
 */
export class Scratch {
  private readonly folder = mkdtempSync(join(tmpdir(), 'cumulet-import-'));
  private readonly opened = new Map<string, Database>();

  /** Creates an empty database with the tables of these migrations. */
  async open(name: string, migrations: readonly Migration[]): Promise<ScratchDatabase> {
    const database = await openDatabase({ kind: 'sqlite', folder: this.folder }, name, migrations);
    this.opened.set(name, database);
    await database.db.raw('PRAGMA synchronous = OFF');
    await database.db.raw('PRAGMA foreign_keys = OFF');
    const scratch = await withTables(database);
    // Remove the rows that migrations insert.
    for (const table of scratch.tables.keys()) await database.db(table).delete();
    return scratch;
  }

  /** A database that has been opened. */
  at = (name: string): Database => this.opened.get(name)!;

  /** The size of all files in bytes. */
  size = (): number =>
    readdirSync(this.folder).reduce((sum, file) => sum + statSync(join(this.folder, file)).size, 0);

  /** Closes and deletes the databases. */
  async close(): Promise<void> {
    for (const { db } of this.opened.values()) await db.destroy();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Sets the next auto-increment id of a table. */
export const setNextId = (
  { database }: ScratchDatabase,
  table: TableShape,
  next: number,
): Promise<void> => setCounter(database, database.db, table, next);

/**
 * Inserts rows.
 * @returns the index of the first row that the database rejects, and why; undefined if it accepts
 *   all
 */
export async function insertOrReject(
  { database: { db } }: ScratchDatabase,
  rows: Rows,
): Promise<{ index: number; reason: string } | undefined> {
  try {
    await db.transaction((trx) => insertRows(trx, rows));
    return undefined;
  } catch {
    for (const [index, row] of rows.rows.entries()) {
      try {
        await insertRows(db, { ...rows, rows: [row] });
      } catch (error) {
        return { index, reason: (error as Error).message.replace(/^.* - (?=[A-Z])/s, '') };
      }
    }
    return undefined;
  }
}

/** Migrates a database to the current schema, including its rows. @returns it with its tables */
export async function migrateToCurrent(
  { database }: ScratchDatabase,
  migrations: readonly Migration[],
): Promise<ScratchDatabase> {
  await migrate(database, migrations);
  return withTables(database);
}

async function withTables(database: Database): Promise<ScratchDatabase> {
  const tables = await snapshotTables(database, database.db);
  return { database, tables: new Map(tables.map((table) => [table.name, table])) };
}
