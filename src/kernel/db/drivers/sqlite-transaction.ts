// Transactions on SQLite. Each begins with the write lock, and sends its savepoints only if they
// are needed.
import sqliteTransaction from 'knex/lib/dialects/sqlite3/execution/sqlite-transaction.js';
import { cheapToBegin, type TransactionClass } from './knex-transaction.ts';

/** The part of a connection that its transactions use. */
interface SavepointHolder {
  /** The names of the savepoints before which nothing has been written, the outermost first. */
  unsentSavepoints: string[];
}

const SqliteTransaction = cheapToBegin(sqliteTransaction as TransactionClass);

/**
 * A transaction that begins with BEGIN IMMEDIATE. It acquires the write lock at once, so that its
 * first write cannot fail because of a stale snapshot. A savepoint is sent before the first write
 * in it, because there is nothing to undo without one.
 */
export class ImmediateTransaction extends SqliteTransaction {
  override begin(connection: unknown): Promise<unknown> {
    (connection as SavepointHolder).unsentSavepoints = [];
    return this.query(connection, 'BEGIN IMMEDIATE;');
  }

  override savepoint(connection: unknown): Promise<void> {
    (connection as SavepointHolder).unsentSavepoints.push(this.txid);
    return Promise.resolve();
  }

  override async release(connection: unknown, value: unknown): Promise<unknown> {
    if (!this.forget(connection as SavepointHolder)) return super.release(connection, value);
    this._completed = true;
    this._resolver!(value);
    return undefined;
  }

  override async rollbackTo(connection: unknown, error: unknown): Promise<unknown> {
    if (!this.forget(connection as SavepointHolder)) return super.rollbackTo(connection, error);
    this._completed = true;
    this._rejecter!(error);
    return undefined;
  }

  /** Forgets the transaction's savepoint. @returns false if it has been sent */
  private forget({ unsentSavepoints }: SavepointHolder): boolean {
    if (unsentSavepoints.at(-1) !== this.txid) return false;
    unsentSavepoints.pop();
    return true;
  }
}
