// Empties the tables of a database, and keeps the few values that all processes of a cloud share.
import type { Knex } from 'knex';
import { machineNow, realClock, ticks, type ClockSetting } from '../clock.ts';
import { Recurring } from './drivers/recurring.ts';
import { changeAllRevisions } from './kept/revisions.ts';
import { addNote, runWithoutForeignKeys } from './transaction.ts';
import type { Database, Db } from './database.ts';

const recurring = new Recurring();

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
  // Takes half of the time of a query of information_schema.tables.
  const [rows] = (await db.raw("SHOW FULL TABLES WHERE Table_type = 'BASE TABLE'")) as [object[]];
  return rows.map((row) => Object.values(row)[0] as string).sort();
}

/**
 * The tables whose names start with `prefix` (all, if that is empty), except the emulator's own.
 * The names come from the database, so that no new table can be forgotten.
 */
export const resettableTables = async (
  database: Database,
  prefix: string,
  db: Db = database.db,
): Promise<string[]> =>
  (await tableNames(database, db)).filter(
    (name) => name.startsWith(prefix) && !ownTables.test(name),
  );

/**
 * Empties tables in the caller's transaction, and fills them again with `refill`. Foreign keys need
 * not hold in between. SQLite assigns ids from 1 on again.
 */
export async function emptyAndRefill(
  database: Database,
  trx: Db,
  names: readonly string[],
  refill: () => Promise<void>,
): Promise<void> {
  changeAllRevisions(trx);
  if (database.kind === 'mysql') {
    await runWithoutForeignKeys(
      trx,
      names.map((name) => `DELETE FROM \`${name}\``),
    );
    return refill();
  }
  await trx.raw('PRAGMA defer_foreign_keys = ON');
  for (const name of names) await trx(name).delete();
  if (names.length && (await hasSequences(trx)))
    await trx('sqlite_sequence').whereIn('name', names).delete();
  await refill();
}

/** Whether a SQLite database has had a table with auto-increment ids. */
const hasSequences = async (db: Db): Promise<boolean> =>
  (await db('sqlite_master').where({ name: 'sqlite_sequence' }).first('name')) !== undefined;

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
  /** Whether all decisions are explained, and not only failures. */
  readonly explainsAll: boolean;
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
    explainsAll: false,
  };
  private readAt = -Infinity;
  /** The number of the read that returned them, and of the last one that has begun. */
  private shown = 0;
  private begun = 0;
  /** The last read, if it is under way, and when it began. Later requests share it. */
  private reading: { readonly started: number; readonly values: Promise<SharedValues> } | undefined;

  constructor(database: Database) {
    this.database = database;
  }

  /**
   * The values: at most `sharedStateMaxAge` old on MySQL, exact on SQLite, which no other process
   * writes to.
   */
  async read(): Promise<SharedValues> {
    const maxAge = this.database.kind === 'sqlite' ? Infinity : sharedStateMaxAge;
    if (ticks() - this.readAt < maxAge) return this.values;
    if (this.reading && ticks() - this.reading.started < maxAge) return this.reading.values;
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
    const reading = { started: ticks(), values: readSharedValues(this.database.db) };
    this.reading = reading;
    const number = ++this.begun;
    try {
      const values = await reading.values;
      // A later read on another connection may have ended first.
      if (number < this.shown) return values;
      this.shown = number;
      this.values = values;
      // Otherwise they may be out of date: `invalidate` was called, or a later read has begun.
      if (this.reading === reading) this.readAt = reading.started;
      return values;
    } finally {
      if (this.reading === reading) this.reading = undefined;
    }
  }

  /**
   * Makes the next call read the database. Call it after committing a write to the shared values.
   */
  invalidate(): void {
    this.readAt = -Infinity;
    this.reading = undefined;
  }
}

/** Reads the values in a transaction, or outside of any. */
export async function readSharedValues(db: Db): Promise<SharedValues> {
  const rows = await recurring.statement<{ name: string; value: string }[]>(db, 'all', [], () =>
    db('cumulet_state').select('name', 'value').orderBy('name'),
  );
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
    explainsAll: values.get('explain.all') === 'true',
  };
}

/** Reads one shared value; undefined if it has never been written. */
export async function readSharedValue(db: Db, name: string): Promise<string | undefined> {
  const row = (await db('cumulet_state').where({ name }).first('value')) as
    { value: string } | undefined;
  return row?.value;
}

/** A query for a shared value, which finds it if it has the given value. */
export const sharedValueIs = (db: Db, name: string, value: string): Knex.QueryBuilder =>
  db('cumulet_state').where({ name, value }).select('name');

/** Writes a shared value. */
export const writeSharedValue = (db: Db, name: string, value: string): Promise<void> =>
  writeSharedValues(db, { [name]: value });

/** Writes shared values, by name, in one statement. */
export async function writeSharedValues(
  db: Db,
  values: Readonly<Record<string, string>>,
): Promise<void> {
  addNote(db, 'has written a shared value');
  const updatedAt = machineNow();
  const written = Object.entries(values).flatMap(([name, value]) => [name, value, updatedAt]);
  await recurring.statement(db, `write ${written.length}`, written, (given) => {
    const rows = [];
    for (let at = 0; at < given.length; at += 3)
      rows.push({ name: given[at], value: given[at + 1], updated_at: given[at + 2] });
    return db('cumulet_state').insert(rows).onConflict('name').merge(['value', 'updated_at']);
  });
}

/** A shared value that counts changes. */
export type SharedRevision =
  | 'auth.revision'
  | 'regions.revision'
  | 'faults.revision'
  | 'journal.generation'
  | 'state.generation';

/**
 * Increments shared values in one statement, so that other processes drop what they have cached
 * under them.
 */
export async function bumpSharedRevisions(
  db: Db,
  ...names: readonly SharedRevision[]
): Promise<void> {
  addNote(db, 'has written a shared value');
  const updatedAt = machineNow();
  await db('cumulet_state')
    .insert(names.map((name) => ({ name, value: '1', updated_at: updatedAt })))
    .onConflict('name')
    .merge({ value: db.raw('?? + 1', ['cumulet_state.value']), updated_at: updatedAt });
}

/** Invalidates the tokens, and what all processes have cached of the catalog. */
export const bumpAuthRevision = (db: Db): Promise<void> => bumpSharedRevisions(db, 'auth.revision');
