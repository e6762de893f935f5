// A lock on a database between the processes of a cloud, for work that takes several transactions.
import { unavailable } from '../fault.ts';
import type { Database, Db } from './database.ts';
import type { Knex } from 'knex';

/** How long it is waited for, in seconds. */
const patience = 60;

/**
 * Does something while no other process does anything under the same name. On SQLite there is no other. It holds a connection, and no row. (On
 * Galera it holds among the processes of one node.) @throws 503 where another has had it for a minute
 */
export async function withLock<T>({ kind, db }: Database, name: string, run: () => Promise<T>): Promise<T> {
  if (kind === 'sqlite') return run();
  return db.transaction(async (trx) => {
    const lock = `cumulet.${schemaOf(trx)}.${name}`.slice(0, 64);
    const [[row]] = (await trx.raw('SELECT GET_LOCK(?, ?) AS got', [lock, patience])) as [[{ got: number }]];
    if (row.got !== 1)
      throw unavailable('Another snapshot, restore or import has been going on for a minute. Please try again later.');
    try {
      return await run();
    } finally {
      await trx.raw('SELECT RELEASE_LOCK(?)', [lock]);
    }
  });
}

const schemaOf = (db: Db): string =>
  (db.client as Knex.Client & { config: { connection: { database: string } } }).config.connection.database;
