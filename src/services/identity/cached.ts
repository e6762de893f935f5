// What other services ask Identity for again and again. A process reads it again only after
// something has changed that tokens or the catalog depend on.
import type { Db } from '../../kernel/db/database.ts';
import { hasNote, isInDatabase } from '../../kernel/db/transaction.ts';
import type { Context } from '../../kernel/model.ts';
import type { PublicEndpoint, Token, Trust } from './model.ts';

/** Values by key, as this process has read them at a revision of the shared state. */
export interface AuthCache<V> {
  revision: number;
  readonly values: Map<string, V>;
}

/** A trust, and the token that its trustee would get for it. */
export interface TrustToken {
  readonly trust: Trust;
  readonly token: Omit<Token, 'id'>;
}

declare module '../../kernel/model.ts' {
  interface Cloud {
    /** The only key is ''. */
    readonly publicEndpoints: AuthCache<readonly PublicEndpoint[]>;
    /** By the id of the trust. */
    readonly trustTokens: AuthCache<TrustToken>;
    /** The ids of users of services that have all of their roles, by name. */
    readonly serviceUsers: AuthCache<string | undefined>;
  }
}

/** The most values of a cache. */
const maxCached = 1000;

/**
 * The value of a key. Every change of what it depends on must increment `authRevision`. A
 * transaction that may have changed it reads the tables.
 * @param mayKeep whether the value stays the same until the next change
 */
export async function readCached<V>(
  { cloud, db }: Context,
  cache: AuthCache<V>,
  key: string,
  read: (db: Db) => Promise<V>,
  mayKeep: (value: V) => boolean = () => true,
): Promise<V> {
  const { central, sharedState } = cloud;
  const { authRevision: revision } = sharedState.cached;
  const isInCentral = db.isTransaction === true && isInDatabase(db, central);
  if (isInCentral && hasNote(db, 'has written a shared value')) return read(db);
  const known = cache.revision === revision ? cache.values.get(key) : undefined;
  if (known !== undefined) return known;
  // The snapshot of a transaction may be older than the revision, so its result is not cached.
  if (isInCentral) return read(db);
  const value = await read(central.db);
  if (!mayKeep(value)) return value;
  if (cache.revision !== revision || cache.values.size >= maxCached) cache.values.clear();
  cache.revision = revision;
  cache.values.set(key, value);
  return value;
}
