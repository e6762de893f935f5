// Transactions, and doing them again where another writer was faster.
import { pause } from '../clock.ts';
import { Contention, isDeadlock } from './errors.ts';
import type { Database, Db } from './database.ts';

const attempts = 12;

/**
 * Runs `work` in a transaction and commits. A deadlock (also one that shows only at COMMIT) or a lost compare-and-swap
 * rolls back and runs it again in a fresh transaction: a retry inside the old one would read its stale snapshot, which is
 * how the real Placement over-commits. `work` is told which attempt it is, from 1 on, so that it can take its locks before it reads
 * once reading first has failed. After the last attempt the error of that attempt is thrown.
 */
export async function transact<T>(db: Db, work: (trx: Db, attempt: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction((trx) => work(trx, attempt));
    } catch (error) {
      const again = error instanceof Contention || isDeadlock(error);
      if (!again || attempt === attempts) throw error;
      await pause(attempt < 3 ? attempt : 2 ** Math.min(attempt - 2, 6)); // a little longer each time, so that rivals fall out of step
    }
  }
}

/**
 * Lets one transaction at a time go on that takes this turn, in all processes (on Galera the later one fails at its commit and is
 * done again). It must be the first statement of the transaction: what is read after it is then what the one before has left.
 */
export async function takeTurn(db: Db, name: string): Promise<void> {
  const taken = await db('cumulet_turns').where({ name }).increment('turn');
  if (!taken)
    await db('cumulet_turns')
      .insert({ name, turn: 1 })
      .onConflict('name')
      .merge({ turn: db.raw('?? + 1', ['cumulet_turns.turn']) });
}

/** Whether a pool or a transaction is of this database: Knex gives a transaction the configuration of its pool. */
export const isWithin = (db: Db, database: Database): boolean => configOf(db) === configOf(database.db);

const configOf = (db: Db): unknown => (db.client as { config: unknown }).config;
