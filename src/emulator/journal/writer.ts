// Writes the journal's entries in batches, after the responses: no request waits for its entry, or
// fails because of it.
import { pause } from '../../kernel/clock.ts';
import type { Database } from '../../kernel/db/database.ts';
import type { Log } from '../../kernel/log.ts';
import type { GenerationEntry, JournalEntry } from './model.ts';
import { insertEntries, trimEntries } from './store.ts';

declare module '../../kernel/model.ts' {
  interface Cloud {
    /** Writes journal entries in batches, after the responses have been sent. */
    readonly journal: JournalWriter;
  }
}

/**
 * How many milliseconds an entry waits for others to join its batch. It must be less than
 * `sharedStateMaxAge`.
 */
const flushDelay = 3;

/** The maximum number of entries in a batch. */
const batchSize = 500;

/**
 * The maximum number of entries that wait. If the database cannot keep up with the requests, the
 * oldest entries are dropped.
 */
const maxPending = 5_000;

/** How many expired rows accumulate before they are deleted together. */
const trimThreshold = 200;

/** Holds the entries of this process that are not written yet. */
export class JournalWriter {
  private readonly central: Database;
  private readonly log: Log;
  private pending: GenerationEntry[] = [];
  private writing: Promise<void> | undefined;
  /** How many entries have been added. */
  private added = 0;
  /** How many of them have been written or dropped. */
  private done = 0;
  private sinceTrim = 0;
  private isFailing = false;

  constructor(central: Database, log: Log) {
    this.central = central;
    this.log = log;
  }

  /** Adds an entry, which is written soon. The journal retains the newest `keep` entries. */
  add(generation: number, keep: number, entry: JournalEntry): void {
    this.pending.push({ generation, entry });
    this.added++;
    if (this.pending.length > maxPending) {
      this.pending.shift();
      this.done++;
    }
    this.writing ??= this.writeSoon(keep);
  }

  /** Waits until all entries added so far are written. */
  async flush(): Promise<void> {
    const { added } = this;
    while (this.writing && this.done < added) await this.writing;
  }

  private async writeSoon(keep: number): Promise<void> {
    await pause(flushDelay);
    const batch = this.pending.splice(0, batchSize);
    await this.write(batch, keep);
    this.done += batch.length;
    this.writing = this.pending.length ? this.writeSoon(keep) : undefined;
  }

  /**
   * Writes a batch. If that fails, its entries are lost, because their requests have already been
   * answered. Only the first of several failures in a row is logged.
   */
  private async write(batch: readonly GenerationEntry[], keep: number): Promise<void> {
    try {
      await insertEntries(this.central.db, batch);
      this.sinceTrim += batch.length;
      if (this.sinceTrim >= trimThreshold) {
        this.sinceTrim = 0;
        await trimEntries(this.central.db, keep);
      }
      this.isFailing = false;
    } catch (error) {
      if (!this.isFailing)
        this.log.warn(
          { err: error },
          'the request journal cannot be written; entries are lost until the database accepts writes again',
        );
      this.isFailing = true;
    }
  }
}
