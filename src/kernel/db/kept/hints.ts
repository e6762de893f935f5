// What a process remembers of a database without knowing whether it still holds.
import type { Db } from '../database.ts';
import { configOf } from '../transaction.ts';

/** The most keys that are remembered. */
const mostKeys = 1000;

const hintsKey = Symbol('the hints about a database');

/**
 * The keys for which something held when this process looked last. It decides nothing: a
 * transaction that relies on it looks again, and runs again if it no longer holds.
 */
export class Hints {
  has(db: Db, key: string): boolean {
    return this.keysOf(db).has(key);
  }

  /** Remembers whether it holds for a key. */
  note(db: Db, key: string, holds: boolean): void {
    const keys = this.keysOf(db);
    if (keys.size >= mostKeys) keys.clear();
    if (holds) keys.add(key);
    else keys.delete(key);
  }

  /** They live as long as the database's pool. */
  private keysOf(db: Db): Set<string> {
    const config = configOf(db) as { [hintsKey]?: Map<Hints, Set<string>> };
    const all = (config[hintsKey] ??= new Map<Hints, Set<string>>());
    const keys = all.get(this) ?? new Set();
    all.set(this, keys);
    return keys;
  }
}
