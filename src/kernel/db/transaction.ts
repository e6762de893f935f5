// Transactions that run again after a deadlock or a conflict, and locks by name.
import type { Knex } from 'knex';
import { pause } from '../clock.ts';
import {
  SerializationFailure,
  isDeadlock,
  isRefusedByConstraint,
  isUnreachable,
} from './errors.ts';
import { isSqlite, type Database, type Db } from './database.ts';
import { runInPackets } from './drivers/mysql-packets.ts';
import type { ApiError } from '../errors.ts';
import { newFraction } from '../ids.ts';
import { Recurring, type Statement } from './drivers/recurring.ts';
import { guarded } from './guarded.ts';

const recurring = new Recurring();

/**
 * On Galera, transactions on several nodes do not wait for each other: all but one of them fail,
 * and some of them many times.
 */
const maxAttempts = 40;

/**
 * After how many failed attempts the next one starts with a lock. If many transactions compete for
 * a row, one that has failed once would probably fail again.
 */
const failuresBeforeLock = 1;

/**
 * How many attempts a transaction gets that violates a constraint. If it still does then, the
 * reason is a bug and not a concurrent transaction.
 */
const maxConstraintAttempts = 3;

/**
 * Runs `run` in a transaction and commits. On a deadlock (even at COMMIT), a SerializationFailure,
 * or a violated constraint, the transaction rolls back and `run` starts over in a new one: a retry
 * within the old one would read its stale snapshot, which is how the real Placement over-commits.
 * `run` gets the number of the attempt, from 1 on. From the second attempt on, the transaction
 * starts with the lock that the conflict was about (`SerializationFailure.lockOnRetry`), so that it
 * cannot fail for the same reason again. If there is no such lock, as after a deadlock, it starts
 * with one that serializes all retries. The error of the last attempt is thrown.
 */
export async function transact<T>(
  db: Db,
  run: (trx: Db, attempt: number) => Promise<T>,
): Promise<T> {
  let lock: SerializationFailure['lockOnRetry'];
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction(async (trx) => {
        if (attempt > failuresBeforeLock) await (lock ?? serializeRetries)(trx);
        if (db.isTransaction) return run(trx, attempt);
        const lastWrites: LastWrites = new Map();
        (trx as Outermost)[lastWritesKey] = lastWrites;
        const result = await run(trx, attempt);
        // In the same order in all transactions, so that they wait for each other, not deadlock.
        for (const key of [...lastWrites.keys()].sort()) await lastWrites.get(key)!(trx);
        return result;
      });
    } catch (error) {
      const isRetryable =
        error instanceof SerializationFailure ||
        isDeadlock(error) ||
        (isRefusedByConstraint(error) && attempt < maxConstraintAttempts);
      if (!isRetryable || attempt === maxAttempts) throw error;
      if (error instanceof SerializationFailure) lock = error.lockOnRetry ?? lock;
      // exponential back-off with jitter, so that competing transactions drift apart
      await pause(attempt < 3 ? attempt : 2 ** Math.min(attempt - 2, 6) * (0.5 + newFraction()));
    }
  }
}

/**
 * Runs one statement without a transaction around it, which saves its BEGIN and COMMIT. After a
 * deadlock, it runs again in a transaction.
 */
export async function runStatement<T>(db: Db, run: (db: Db) => Promise<T>): Promise<T> {
  try {
    return await run(db);
  } catch (error) {
    if (!isDeadlock(error)) throw error;
    return transact(db, run);
  }
}

/**
 * Runs a function once the transaction has been committed; at once outside of a transaction. It
 * does not run if the transaction rolls back.
 */
export function afterCommit(db: Db, run: () => void): void {
  if (!db.isTransaction) return run();
  outermostOf(db).executionPromise.then(run, () => {});
}

/** The writes before the commit, by their keys. */
type LastWrites = Map<string, (trx: Db) => Promise<void>>;

const lastWritesKey = Symbol('last writes of a transaction');
type Outermost = Knex.Transaction & { [lastWritesKey]?: LastWrites };

/**
 * Registers a write that `transact` runs right before it commits, so that the rows which it locks
 * are locked for as short as possible. Of several writes with the same key, one runs. It runs even
 * if the savepoint in which it was registered has been rolled back.
 */
export function beforeCommit(db: Db, key: string, write: (trx: Db) => Promise<void>): void {
  const lastWrites = db.isTransaction ? (outermostOf(db) as Outermost)[lastWritesKey] : undefined;
  if (!lastWrites) throw new Error(`The write of ${key} needs a transaction of transact().`);
  lastWrites.set(key, write);
}

/** Whether the transaction has registered a write with this key. */
export const hasLastWrite = (db: Db, key: string): boolean =>
  db.isTransaction === true && ((outermostOf(db) as Outermost)[lastWritesKey]?.has(key) ?? false);

export function outermostOf(db: Db): Knex.Transaction {
  let outermost = db as Knex.Transaction;
  while (outermost.parentTransaction) outermost = outermost.parentTransaction;
  return outermost;
}

const resultsKey = Symbol('what a transaction does once');
type Results = Map<string, Promise<unknown>>;
type WithResults = Knex.Transaction & { [resultsKey]?: Results };

const resultsOf = (db: Db): Results => ((db as WithResults)[resultsKey] ??= new Map());

/**
 * Runs a function once in a transaction, and returns the same result each time: several jobs may
 * share a transaction. Outside of one, the function runs each time. Use it for reads of what the
 * transaction does not change before it reads it again, and for writes that need not be repeated.
 * A savepoint that is rolled back forgets what has run in it.
 */
export function once<T>(db: Db, key: string, run: () => Promise<T>): Promise<T> {
  if (!db.isTransaction) return run();
  for (let at: WithResults | undefined = db as WithResults; at; at = at.parentTransaction) {
    const known = at[resultsKey]?.get(key) as Promise<T> | undefined;
    if (known) return known;
  }
  const result = run();
  resultsOf(db).set(key, result);
  return result;
}

/** What a transaction has done that matters when it ends. */
export type TransactionNote = 'has changed a job' | 'has written a shared value';

const notesKey = Symbol('notes of a transaction');
type WithNotes = Knex.Transaction & { [notesKey]?: Set<TransactionNote> };

/** Notes something about the transaction; does nothing outside of a transaction. */
export function addNote(db: Db, note: TransactionNote): void {
  if (db.isTransaction) ((outermostOf(db) as WithNotes)[notesKey] ??= new Set()).add(note);
}

/** Whether something was noted, in the transaction or in one that is nested in it. */
export const hasNote = (db: Db, note: TransactionNote): boolean =>
  db.isTransaction === true && ((outermostOf(db) as WithNotes)[notesKey]?.has(note) ?? false);

/**
 * Runs a function in a savepoint. If it throws, its writes are undone, and the error is returned.
 * @throws conflicts with other transactions, after which the whole transaction runs again; the
 *   error if the database is unreachable
 */
export async function inSavepoint<T>(
  db: Db,
  run: (db: Db) => Promise<T>,
): Promise<{ readonly value: T } | { readonly error: unknown }> {
  // The first error counts: the rollback may fail as well, and its error would hide the cause.
  let thrown: { readonly error: unknown } | undefined;
  try {
    const value = await db.transaction(async (inner) => {
      try {
        const result = await run(inner);
        for (const [key, done] of resultsOf(inner)) resultsOf(db).set(key, done);
        return result;
      } catch (error) {
        thrown ??= { error };
        throw error;
      }
    });
    return { value };
  } catch (last) {
    const { error } = thrown ?? { error: last };
    if (error instanceof SerializationFailure || isDeadlock(error) || isUnreachable(error))
      throw error;
    return { error };
  }
}

/** Reads a consistent snapshot of a database. Unlike `transact`, it never runs `read` again. */
export const readSnapshot = <T>({ db }: Database, read: (trx: Db) => Promise<T>): Promise<T> =>
  db.transaction(read);

/**
 * Defers a write: MySQL gets it in one packet with the next statement of the transaction, or with
 * COMMIT, so that it costs no round trip. The caller gets neither its count nor its error, which
 * the next statement throws. Use it for writes that cannot fail, such as those after a
 * compare-and-swap.
 */
export async function deferred(write: Statement<unknown>): Promise<void> {
  await write.queryContext({ deferred: true });
}

/**
 * Writes in a transaction on MySQL without checks of foreign keys, which must hold when `write` has
 * ended.
 */
export async function withoutForeignKeys(trx: Db, write: () => Promise<unknown>): Promise<void> {
  await deferred(trx.raw('SET FOREIGN_KEY_CHECKS = 0'));
  try {
    await write();
  } finally {
    await trx.raw('SET FOREIGN_KEY_CHECKS = 1');
  }
}

/** Runs statements that contain their values without checks of foreign keys, in few packets. */
export async function runWithoutForeignKeys(trx: Db, statements: readonly string[]): Promise<void> {
  const [off, on] = [0, 1].map((checks) => `SET FOREIGN_KEY_CHECKS = ${checks}`);
  try {
    await runInPackets(trx, [off!, ...statements, on!]);
  } catch (error) {
    await trx.raw(on!);
    throw error;
  }
}

/**
 * Serializes transactions that fail repeatedly. One of several deadlocked transactions always
 * succeeds, but without a queue a given one might never be that one.
 */
const serializeRetries = (db: Db): Promise<void> => acquireLock(db, 'cumulet.retries');

/**
 * Acquires a named lock until the end of the transaction, across all processes. On Galera, the
 * later of two transactions does not wait, but fails at its commit and runs again. It must be the
 * first statement of the transaction, so that all reads come after the wait.
 */
export async function acquireLock(db: Db, name: string): Promise<void> {
  if (!(await increment(db, name)))
    await db('cumulet_locks')
      .insert({ name, acquired: 1 })
      .onConflict('name')
      .merge({ acquired: db.raw('?? + 1', ['cumulet_locks.acquired']) });
}

/**
 * Makes the transaction wait for the others that begin with the same named lock. On SQLite, every
 * transaction waits for the one before it anyway.
 */
export const serialize = async (db: Db, name: string): Promise<void> =>
  isSqlite(db) ? undefined : acquireLock(db, name);

const increment = (db: Db, name: string): Statement<number> =>
  recurring.statement(db, 'acquire lock', [name], ([wanted]) =>
    db('cumulet_locks').where({ name: wanted }).increment('acquired'),
  );

/**
 * Acquires a named lock like `acquireLock`. On MySQL, the next statement takes it along in its
 * packet, and waits for it there.
 * @throws SerializationFailure with `refusal`, here or from that statement, if the lock has never
 *   been acquired: the transaction runs again, and begins with creating it
 */
export const acquireWithNext = (db: Db, name: string, refusal: () => ApiError): Promise<void> =>
  once(db, `lock ${name}`, () =>
    guarded(
      increment(db, name),
      () => new SerializationFailure(refusal(), (retried) => acquireLock(retried, name)),
      1,
    ),
  );

/** Whether a named lock has ever been acquired. */
export const lockExists = async (db: Db, name: string): Promise<boolean> =>
  (await db('cumulet_locks').where({ name }).first('name')) !== undefined;

/**
 * Acquires a named lock in the middle of a transaction, for operations that other services call
 * after they have read.
 * @throws SerializationFailure with `refusal` if a transaction that this one's snapshot does not
 *   include has acquired it
 */
export async function tryAcquireLock(db: Db, name: string, refusal: () => ApiError): Promise<void> {
  const seen = (await db('cumulet_locks').where({ name }).first('acquired')) as
    { acquired: number } | undefined;
  // The unique key makes a concurrent insert fail, and that transaction runs again.
  if (!seen) return void (await db('cumulet_locks').insert({ name, acquired: 1 }));
  const acquired = await db('cumulet_locks')
    .where({ name, acquired: seen.acquired })
    .increment('acquired');
  if (!acquired) throw new SerializationFailure(refusal(), (retried) => acquireLock(retried, name));
}

/**
 * Whether a pool or a transaction belongs to this database: Knex gives a transaction the
 * configuration object of its pool.
 */
export const isInDatabase = (db: Db, database: Database): boolean =>
  configOf(db) === configOf(database.db);

/** The configuration object, which a pool and its transactions share. */
export const configOf = (db: Db): object => (db.client as { config: object }).config;
