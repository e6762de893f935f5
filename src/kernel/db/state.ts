// Empties the tables of a database, and keeps the few values that all processes of a cloud share.
import { machineNow, realClock, ticks, type ClockSetting } from '../clock.ts';
import { transact, withoutForeignKeys } from './transaction.ts';
import type { Database, Db } from './database.ts';

/** The emulator's own tables, which a reset leaves alone. */
const ownTables = /^cumulet_/;

/** The names of the tables, sorted. */
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
    `SELECT table_name AS name FROM information_schema.tables
    WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE' ORDER BY 1`,
  )) as [{ name: string }[]];
  return rows.map((row) => row.name);
}

/**
 * Empties every table whose name starts with `prefix` (all, if that is empty), except the
 * emulator's own. The names come from the database, so that no new table can be forgotten.
 * `remember` runs before and `refill` after, in the same transaction.
 */
export async function wipe(
  database: Database,
  prefix: string,
  refill: (trx: Db) => Promise<void>,
  remember?: (trx: Db) => Promise<void>,
): Promise<void> {
  const names = (await tableNames(database)).filter(
    (name) => name.startsWith(prefix) && !ownTables.test(name),
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

/** The values that all processes of a cloud share. */
export interface SharedValues {
  readonly clock: ClockSetting;
  /** Incremented by every write that can change the catalog or the validity of a token. */
  readonly authRevision: number;
  /** Incremented when a region is added or dropped. */
  readonly regionsRevision: number;
  /** Incremented when a fault rule is added or removed. */
  readonly faultsRevision: number;
  /** How many requests the journal keeps; 0 if it is off. */
  readonly journalLimit: number;
  /**
   * Incremented when the journal is cleared: entries of older generations are no longer part of it.
   */
  readonly journalGeneration: number;
  /** How many notifications each region keeps; 0 if it keeps none. */
  readonly notificationsLimit: number;
}

/** How old the shared values that a process uses may be, in milliseconds. */
export const sharedStateMaxAge = 5;

/** Caches the shared values of the central database for a few milliseconds. */
export class SharedState {
  readonly database: Database;
  private values: SharedValues = {
    clock: realClock,
    authRevision: 0,
    regionsRevision: 0,
    faultsRevision: 0,
    journalLimit: 0,
    journalGeneration: 0,
    notificationsLimit: 0,
  };
  private readAt = -Infinity;
  /** Incremented by `invalidate`. Values of a read that began before that may be out of date. */
  private invalidations = 0;

  constructor(database: Database) {
    this.database = database;
  }

  /**
   * The values: at most `sharedStateMaxAge` old on MySQL, exact on SQLite, which no other process
   * writes to.
   */
  async read(): Promise<SharedValues> {
    const age = ticks() - this.readAt;
    if (age < (this.database.kind === 'sqlite' ? Infinity : sharedStateMaxAge)) return this.values;
    return this.refresh();
  }

  /**
   * The values that this process read last, for use in a transaction, which must not wait for
   * another connection.
   */
  get cached(): SharedValues {
    return this.values;
  }

  /** Reads the values from the database. */
  async refresh(): Promise<SharedValues> {
    const started = ticks();
    const { invalidations } = this;
    this.values = await readSharedValues(this.database.db);
    this.readAt = invalidations === this.invalidations ? started : -Infinity;
    return this.values;
  }

  /**
   * Makes the next call read the database. Call it after committing a write to the shared values.
   */
  invalidate(): void {
    this.readAt = -Infinity;
    this.invalidations++;
  }
}

/** Reads the values in a transaction, or outside of any. */
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
    notificationsLimit: Number(values.get('notifications.limit') ?? 0),
  };
}

/** Reads one shared value; undefined if it has never been written. */
export async function readSharedValue(db: Db, name: string): Promise<string | undefined> {
  const row = (await db('cumulet_state').where({ name }).first('value')) as
    { value: string } | undefined;
  return row?.value;
}

/** Writes a shared value. */
export async function writeSharedValue(db: Db, name: string, value: string): Promise<void> {
  await db('cumulet_state')
    .insert({ name, value, updated_at: machineNow() })
    .onConflict('name')
    .merge();
}

/** Increments a shared value, so that other processes drop what they have cached under it. */
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

/** Invalidates the tokens, and what all processes have cached of the catalog. */
export async function bumpAuthRevision(db: Db): Promise<void> {
  const changed = await db('cumulet_state')
    .where({ name: 'auth.revision' })
    .update({ value: db.raw('?? + 1', ['value']), updated_at: machineNow() });
  if (!changed) await writeSharedValue(db, 'auth.revision', '1');
}
