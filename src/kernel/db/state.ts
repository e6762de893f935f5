// The state of a database as a whole: emptying all of its tables, and the few values that all
// processes of a cloud share.
import { machineNow, realClock, ticks, type ClockSetting } from '../clock.ts';
import { transact, withoutForeignKeys } from './transaction.ts';
import type { Database, Db } from './database.ts';

/** Tables that are the emulator's own and outlive a reset. */
const kept = /^cumulet_/;

/** The names of the tables, in order. */
export async function tableNames(database: Database, db: Db = database.db): Promise<string[]> {
  if (database.kind === 'sqlite') {
    const rows = await db('sqlite_master')
      .where({ type: 'table' })
      .whereNot('name', 'like', 'sqlite_%')
      .orderBy('name')
      .pluck('name');
    return rows as string[];
  }
  const [rows] = (await db.raw(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE' ORDER BY 1",
  )) as [{ name: string }[]];
  return rows.map((row) => row.name);
}

/**
 * Empties every table whose name starts with `prefix`, or every table without one, except the
 * emulator's own. The names are read from the database, so that no new table can be forgotten.
 * `remember` runs before and `refill` after, in the same transaction.
 */
export async function wipe(
  database: Database,
  prefix: string,
  refill: (trx: Db) => Promise<void>,
  remember?: (trx: Db) => Promise<void>,
): Promise<void> {
  const names = (await tableNames(database)).filter(
    (name) => name.startsWith(prefix) && !kept.test(name),
  );
  if (database.kind === 'sqlite') return wipeSqlite(database.db, names, refill, remember);
  await transact(database.db, async (trx) => {
    await remember?.(trx);
    await withoutForeignKeys(trx, async () => {
      for (const name of names) await trx(name).delete();
    });
    await refill(trx);
  });
}

async function wipeSqlite(
  db: Db,
  names: string[],
  refill: (trx: Db) => Promise<void>,
  remember?: (trx: Db) => Promise<void>,
): Promise<void> {
  await db.transaction(async (trx) => {
    await remember?.(trx);
    await trx.raw('PRAGMA defer_foreign_keys = ON');
    for (const name of names) await trx(name).delete();
    if (
      names.length &&
      (await trx('sqlite_master').where({ name: 'sqlite_sequence' }).first('name'))
    ) {
      await trx('sqlite_sequence').whereIn('name', names).delete();
    }
    await refill(trx);
  });
}

/**
 * The shared values: the clock, and `authRevision`, which goes up with each write that can change
 * the validity of a token.
 */
export interface SharedValues {
  readonly clock: ClockSetting;
  readonly authRevision: number;
  /** Goes up with each region that comes or goes. */
  readonly regionsRevision: number;
  /** Goes up with each fault rule that comes or goes. */
  readonly faultsRevision: number;
  /** How many requests the journal keeps; 0 where it is off. */
  readonly journalLimit: number;
  /** Goes up each time the journal is emptied: what was noted before is none of it any more. */
  readonly journalGeneration: number;
}

/** The age in milliseconds up to which another process uses the shared values that it has read. */
export const sharedStateMaxAge = 5;

/** The shared values of a cloud, read from the central database at most every few milliseconds. */
export class SharedState {
  readonly database: Database;
  private values: SharedValues = {
    clock: realClock,
    authRevision: 0,
    regionsRevision: 0,
    faultsRevision: 0,
    journalLimit: 0,
    journalGeneration: 0,
  };
  private readAt = -Infinity;
  /** Goes up with every `forget`. Values that were read meanwhile may be out of date. */
  private writes = 0;

  constructor(database: Database) {
    this.database = database;
  }

  /**
   * The values, at most `sharedBound` milliseconds old where other processes write too, and exact
   * where there is only this one.
   */
  async read(): Promise<SharedValues> {
    const age = ticks() - this.readAt;
    if (age < (this.database.kind === 'sqlite' ? Infinity : sharedStateMaxAge)) return this.values;
    return this.refresh();
  }

  /**
   * The values as this process read them last: for work in a transaction, which cannot wait for
   * another connection.
   */
  get cached(): SharedValues {
    return this.values;
  }

  /** The values as they are now. */
  async refresh(): Promise<SharedValues> {
    const started = ticks();
    const { writes } = this;
    this.values = await readSharedValues(this.database.db);
    this.readAt = writes === this.writes ? started : -Infinity;
    return this.values;
  }

  /** Makes the next look read again. Call it after the commit of a write to the shared values. */
  invalidate(): void {
    this.readAt = -Infinity;
    this.writes++;
  }
}

/** The values as the connection, or the transaction, sees them. */
export async function readSharedValues(db: Db): Promise<SharedValues> {
  const rows = (await db('cumulet_state').select('name', 'value').orderBy('name')) as {
    name: string;
    value: string;
  }[];
  const values = new Map(rows.map((row) => [row.name, row.value]));
  const frozen = values.get('clock.frozen_at');
  return {
    clock: {
      frozenAt: frozen ? Number(frozen) : null,
      offset: Number(values.get('clock.offset') ?? 0),
    },
    authRevision: Number(values.get('auth.revision') ?? 0),
    regionsRevision: Number(values.get('regions.revision') ?? 0),
    faultsRevision: Number(values.get('faults.revision') ?? 0),
    journalLimit: Number(values.get('journal.limit') ?? 0),
    journalGeneration: Number(values.get('journal.generation') ?? 0),
  };
}

/** Writes a shared value. */
export async function writeSharedValue(db: Db, name: string, value: string): Promise<void> {
  await db('cumulet_state')
    .insert({ name, value, updated_at: machineNow() })
    .onConflict('name')
    .merge();
}

/**
 * Counts a shared value up, which other processes see: what they have read of it before is out of
 * date.
 */
export async function bumpSharedRevision(
  db: Db,
  name: 'regions.revision' | 'faults.revision' | 'journal.generation',
): Promise<void> {
  const row = { name, value: '1', updated_at: machineNow() };
  await db('cumulet_state')
    .insert(row)
    .onConflict('name')
    .merge({ value: db.raw('?? + 1', ['cumulet_state.value']), updated_at: row.updated_at });
}

/** Invalidates the tokens that processes have cached. */
export async function bumpAuthRevision(db: Db): Promise<void> {
  const changed = await db('cumulet_state')
    .where({ name: 'auth.revision' })
    .update({ value: db.raw('?? + 1', ['value']), updated_at: machineNow() });
  if (!changed) await writeSharedValue(db, 'auth.revision', '1');
}
