// Transactions, which are run again after a deadlock or a lost race.
import type { Knex } from 'knex';
import { pause } from '../clock.ts';
import { SerializationFailure, isDeadlock, isRefusedByConstraint } from './errors.ts';
import type { Database, Db } from './database.ts';
import type { ApiError } from '../errors.ts';

const attempts = 12;

/**
 * After so many lost races the next attempt locks first: who has lost one would lose the next as
 * well, where many want the same row.
 */
const lossesBeforeLock = 1;

/**
 * How often a constraint may refuse the work: what it still refuses then is no race, but a mistake
 * of ours.
 */
const refusals = 3;

/**
 * Runs `work` in a transaction and commits. A deadlock (also one that shows only at COMMIT), a lost
 * compare-and-swap, or a key that refuses what the work had seen to be free, rolls back and runs it
 * again in a fresh transaction: a retry inside the old one would read its stale snapshot, which is
 * how the real Placement over-commits. `work` gets the number of the attempt, from 1 on. After a
 * loss an attempt begins by locking what they were about (`Contention.lockFirst`), so that it
 * cannot lose again; where nobody can say what that was, as after a deadlock, by waiting for the
 * others who have lost. After the last attempt its error is thrown.
 */
export async function transact<T>(
  db: Db,
  work: (trx: Db, attempt: number) => Promise<T>,
): Promise<T> {
  let lockFirst: SerializationFailure['lockOnRetry'];
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction(async (trx) => {
        if (attempt > lossesBeforeLock) await (lockFirst ?? serializeRetries)(trx);
        return work(trx, attempt);
      });
    } catch (error) {
      const again =
        error instanceof SerializationFailure ||
        isDeadlock(error) ||
        (isRefusedByConstraint(error) && attempt < refusals);
      if (!again || attempt === attempts) throw error;
      if (error instanceof SerializationFailure) lockFirst = error.lockOnRetry ?? lockFirst;
      // longer each time, so that competing transactions drift apart
      await pause(attempt < 3 ? attempt : 2 ** Math.min(attempt - 2, 6));
    }
  }
}

/**
 * Reads a database as it is at one moment, once: what is done with what was read is not done again.
 */
export const readSnapshot = <T>({ db }: Database, read: (trx: Db) => Promise<T>): Promise<T> =>
  db.transaction(read);

/**
 * Sends a write along with the next statement of its transaction, or with its COMMIT: MySQL then
 * needs no round trip for it. Nobody learns what it did, and its error is that statement's, so it
 * is for writes that nothing can refuse any more, as after a compare-and-swap.
 */
export async function deferred(write: Knex.QueryBuilder): Promise<void> {
  await write.queryContext({ deferred: true });
}

/**
 * Writes in a transaction on MySQL without a look at foreign keys: what is there in the end must
 * hold to them.
 */
export async function withoutForeignKeys(trx: Db, write: () => Promise<unknown>): Promise<void> {
  await trx.raw('SET FOREIGN_KEY_CHECKS = 0');
  try {
    await write();
  } finally {
    await trx.raw('SET FOREIGN_KEY_CHECKS = 1');
  }
}

/**
 * Those who lose again and again go one after the other. Of several that deadlock one always comes
 * through, but without a queue it need never be the same one's turn.
 */
const serializeRetries = (db: Db): Promise<void> => acquireLock(db, 'cumulet.retries');

/**
 * Serializes the transactions that take this turn, across all processes: each waits for the one
 * before to commit. On Galera the later one fails at its commit and is run again. It must be the
 * first statement of the transaction, so that every read comes after the wait.
 */
export async function acquireLock(db: Db, name: string): Promise<void> {
  const taken = await db('cumulet_locks').where({ name }).increment('acquired');
  if (!taken)
    await db('cumulet_locks')
      .insert({ name, acquired: 1 })
      .onConflict('name')
      .merge({ acquired: db.raw('?? + 1', ['cumulet_locks.acquired']) });
}

/** Whether a turn has ever been taken. */
export const lockExists = async (db: Db, name: string): Promise<boolean> =>
  (await db('cumulet_locks').where({ name }).first('name')) !== undefined;

/**
 * Takes a turn in the middle of a transaction, for work that another service asks for, which cannot
 * wait before its first read.
 * @throws Contention with `fault` where another transaction, of which this one sees nothing, has
 *   taken it
 */
export async function tryAcquireLock(db: Db, name: string, fault: () => ApiError): Promise<void> {
  const seen = (await db('cumulet_locks').where({ name }).first('acquired')) as
    { acquired: number } | undefined;
  // who is second is refused by the key, and tries again
  if (!seen) return void (await db('cumulet_locks').insert({ name, acquired: 1 }));
  const taken = await db('cumulet_locks')
    .where({ name, acquired: seen.acquired })
    .increment('acquired');
  if (!taken) throw new SerializationFailure(fault(), (retried) => acquireLock(retried, name));
}

/**
 * Whether a pool or a transaction is of this database: Knex gives a transaction the configuration
 * of its pool.
 */
export const isInDatabase = (db: Db, database: Database): boolean =>
  configOf(db) === configOf(database.db);

const configOf = (db: Db): unknown => (db.client as { config: unknown }).config;
