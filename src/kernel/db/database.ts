// The types of databases: the connection that stores use, and where a database is.
import type { Knex } from 'knex';

/** A Knex connection: the pool, or a transaction. Only stores use it. */
export type Db = Knex;

export interface Database {
  readonly name: string;
  readonly kind: 'sqlite' | 'mysql';
  readonly db: Db;
}

export type DatabaseUrl =
  | { readonly kind: 'memory' }
  | { readonly kind: 'sqlite'; readonly folder: string }
  | { readonly kind: 'mysql'; readonly url: URL; readonly name: string };

/**
 * One step in the history of a database's tables. Its name never changes once it has been released.
 */
export interface Migration {
  readonly name: string;
  up(db: Db): Promise<void>;
}
