// Where entries of the journal wait: they are written together, after the replies, and no request
// waits for them or fails with them.
import { pause } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { Database } from '../../kernel/db/database.ts';
import { insertEntries, trimEntries, type JournalEntry, type GenerationEntry } from './store.ts';

/**
 * How long entries wait for others to be written with, in milliseconds. It is less than
 * `sharedBound`.
 */
const flushDelay = 3;

/** How many are written at once. */
const batchSize = 500;

/**
 * How many wait at most, where the database is slower than the requests come: the oldest are lost.
 */
const maxPending = 5_000;

/** How many rows beyond those that are kept there may be: so many are deleted at once. */
const trimThreshold = 200;

/** The entries of one process that are not written yet. */
export class JournalWriter {
  private readonly central: Database;
  private readonly log: Log;
  private waiting: GenerationEntry[] = [];
  private going: Promise<void> | undefined;
  /** How many entries have come, and how many of them are written or lost. */
  private noted = 0;
  private done = 0;
  private sinceTrim = 0;
  private isFailing = false;

  constructor(central: Database, log: Log) {
    this.central = central;
    this.log = log;
  }

  /** Takes an entry, to be written soon. Of all entries the newest `keep` are kept. */
  add(generation: number, keep: number, entry: JournalEntry): void {
    this.waiting.push({ generation, entry });
    this.noted++;
    if (this.waiting.length > maxPending) {
      this.waiting.shift();
      this.done++;
    }
    this.going ??= this.writeSoon(keep);
  }

  /** Writes what has come before. */
  async flush(): Promise<void> {
    const { noted } = this;
    while (this.going && this.done < noted) await this.going;
  }

  private async writeSoon(keep: number): Promise<void> {
    await pause(flushDelay);
    const batch = this.waiting.splice(0, batchSize);
    await this.write(batch, keep);
    this.done += batch.length;
    this.going = this.waiting.length ? this.writeSoon(keep) : undefined;
  }

  /**
   * A failure is everybody's, and told once: the entries are lost, and the requests were answered
   * long ago.
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
        this.log.warn({ err: error }, 'the journal cannot be written: its entries are lost');
      this.isFailing = true;
    }
  }
}
