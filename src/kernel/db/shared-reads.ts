// Reads by key that requests share. A round trip to MySQL costs more than the rest of a short
// request, so requests that look up keys of a table at the same time get one statement.
import DataLoader from 'dataloader';
import { yieldToEventLoop } from '../clock.ts';
import type { Db } from './database.ts';

/** Finds records by their keys with one statement. Unknown keys are left out. */
type ReadAll<Key, Found> = (db: Db, keys: readonly Key[]) => Promise<ReadonlyMap<Key, Found>>;

/** The most keys in one statement: `Table` compiles a statement of more keys each time. */
const maxKeys = 20;

/** Looks up single records of a table. */
export class SharedReads<Key extends string | number, Found> {
  private readonly readAll: ReadAll<Key, Found>;
  private readonly loaders = new WeakMap<Db, DataLoader<Key, Found | undefined>>();

  constructor(readAll: ReadAll<Key, Found>) {
    this.readAll = readAll;
  }

  /**
   * Finds the record with a key. In a transaction, it reads alone. Otherwise, it shares a statement
   * with the other calls that wait: those of the same turn of the event loop, and those that came
   * while an earlier statement was running. The statement always begins after the call, so a
   * request sees everything that was committed before.
   */
  async find(db: Db, key: Key): Promise<Found | undefined> {
    if (db.isTransaction) return (await this.readAll(db, [key])).get(key);
    let loader = this.loaders.get(db);
    if (!loader) this.loaders.set(db, (loader = this.loaderFor(db)));
    return loader.load(key);
  }

  private loaderFor(db: Db): DataLoader<Key, Found | undefined> {
    let last: Promise<unknown> = Promise.resolve();
    const read = (keys: readonly Key[]): Promise<(Found | undefined)[]> => {
      const reading = this.readAll(db, [...new Set(keys)]);
      last = reading.catch(() => undefined);
      return reading.then((found) => keys.map((key) => found.get(key)));
    };
    return new DataLoader(read, {
      cache: false,
      maxBatchSize: maxKeys,
      batchScheduleFn: (begin) => void last.then(yieldToEventLoop).then(begin),
    });
  }
}
