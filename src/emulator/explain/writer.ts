// Writes explanations after the decisions, in transactions of their own: a decision that fails is
// rolled back, and its explanation is not.
import { pause, type Micros } from '../../kernel/clock.ts';
import { grouped } from '../../kernel/db/grouping.ts';
import { transact } from '../../kernel/db/transaction.ts';
import type { Log } from '../../kernel/log.ts';
import type { Region } from '../../kernel/model.ts';
import type { LostChoice } from './model.ts';
import { trimExplanations, writeExplanations, type KeptExplanation } from './store.ts';

declare module '../../kernel/model.ts' {
  interface Cloud {
    /** Writes the explanations of decisions. */
    readonly explanations: ExplanationWriter;
  }
}

/** How many explanations each region keeps. */
export const mostExplanations = 1_000;

/**
 * How many milliseconds an explanation waits, unless someone asks for it: a transaction that starts
 * over replaces it, and explanations that wait together are written by one statement.
 */
const flushDelay = 100;

/** The maximum number of explanations that wait. The oldest ones are dropped. */
const maxPending = 500;

/** After how many explanations the oldest ones are deleted. */
const trimInterval = 100;

type Pending = Omit<KeptExplanation, 'id'> & { readonly region: Region };

/** For how many of the latest failed requests a process knows that they are explained. */
const maxFailed = 1_000;

/** The decision that an explanation belongs to. */
type Key = Pick<Pending, 'region' | 'requestId' | 'kind' | 'subject'>;

const keyOf = ({ region, requestId, kind, subject }: Key): string =>
  [region.name, requestId, kind, subject].join(' ');

/** For how many decisions a process knows what earlier attempts chose. */
const maxChoices = 1_000;

/** Holds the explanations of this process that are not written yet. */
export class ExplanationWriter {
  private readonly log: Log;
  private readonly pending = new Map<string, Pending>();
  private isDue = false;
  private writing: Promise<void> = Promise.resolve();
  private sinceTrim = 0;
  /** The keys of the explained failures of the latest requests, by the request's id. */
  private readonly failed = new Map<string, Set<string>>();
  /** What the attempts of the latest decisions chose. */
  private readonly choices = new Map<string, LostChoice[]>();

  constructor(log: Log) {
    this.log = log;
  }

  /** Adds an explanation. It replaces an earlier one of the same decision. */
  add(explanation: Pending): void {
    const key = keyOf(explanation);
    this.pending.delete(key);
    this.pending.set(key, explanation);
    if (explanation.outcome === 'failure') this.rememberFailure(explanation.requestId, key);
    else this.forgetFailure(explanation.requestId, key);
    if (this.pending.size > maxPending) this.pending.delete(this.pending.keys().next().value!);
    if (!this.isDue) void this.writeSoon();
  }

  /**
   * Remembers what an attempt of a transaction chooses. @returns what earlier attempts of the same
   *   transaction, which has the same time, chose before they rolled back
   */
  choose(
    { region, kind, subject, now }: Omit<Key, 'requestId'> & { readonly now: Micros },
    attempt: number,
    choice: string | undefined,
  ): readonly LostChoice[] {
    const key = [region.name, kind, subject, now].join(' ');
    const before = attempt > 1 ? (this.choices.get(key) ?? []) : [];
    this.choices.delete(key);
    if (choice !== undefined) this.choices.set(key, [...before, { attempt, choice }]);
    if (this.choices.size > maxChoices) this.choices.delete(this.choices.keys().next().value!);
    return before;
  }

  /** Whether a request of this process has an explained failure: false if it was long ago. */
  hasFailure(requestId: string): boolean {
    return this.failed.has(requestId);
  }

  private rememberFailure(requestId: string, key: string): void {
    this.failed.set(requestId, (this.failed.get(requestId) ?? new Set()).add(key));
    if (this.failed.size > maxFailed) this.failed.delete(this.failed.keys().next().value!);
  }

  /** Forgets the failure of a decision that was taken again with another outcome. */
  private forgetFailure(requestId: string, key: string): void {
    const keys = this.failed.get(requestId);
    if (keys?.delete(key) && !keys.size) this.failed.delete(requestId);
  }

  /** Drops the explanation of a decision that was taken again with another outcome. */
  drop(key: Key): void {
    this.pending.delete(keyOf(key));
    this.forgetFailure(key.requestId, keyOf(key));
  }

  /** Writes all explanations added so far. Call it before the state is replaced. */
  flush(): Promise<void> {
    this.writing = this.writing.then(() => this.writePending());
    return this.writing;
  }

  private async writeSoon(): Promise<void> {
    this.isDue = true;
    await pause(flushDelay);
    this.isDue = false;
    await this.flush();
  }

  private async writePending(): Promise<void> {
    const batch = [...this.pending.values()];
    this.pending.clear();
    for (const [region, explanations] of grouped(batch, (one) => one.region))
      await this.write(region, explanations);
  }

  /** Writes explanations of a region. Nothing else depends on them, so a failure is only logged. */
  private async write(region: Region, explanations: readonly Pending[]): Promise<void> {
    const { db } = region.database;
    try {
      await transact(db, (trx) => writeExplanations(trx, explanations));
      this.sinceTrim += explanations.length;
      if (this.sinceTrim < trimInterval) return;
      this.sinceTrim = 0;
      await trimExplanations(db, mostExplanations);
    } catch (error) {
      this.log.warn({ err: error, region: region.name }, 'explanations cannot be written');
    }
  }
}
