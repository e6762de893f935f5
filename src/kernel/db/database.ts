// The types of a database, its connections, its URL and its migrations.
import type { Knex } from 'knex';

/** A Knex connection: the pool, or a transaction. Only stores use it. */
export type Db = Knex;

export interface Database {
  readonly name: string;
  readonly kind: 'sqlite' | 'mysql';
  readonly db: Db;
}

/** Whether a connection or transaction is that of a database on SQLite. */
export const isSqlite = (db: Db): boolean =>
  (db.client as { driverName?: string }).driverName === 'node:sqlite';

export type DatabaseUrl =
  | { readonly kind: 'memory' }
  | { readonly kind: 'sqlite'; readonly folder: string }
  | { readonly kind: 'mysql'; readonly url: URL; readonly name: string };

/** A change to a database's schema. Its name must not change after a release. */
export interface Migration {
  readonly name: string;
  up(db: Db): Promise<void>;
}
