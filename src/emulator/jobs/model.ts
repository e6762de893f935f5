// The records of /_emulator/jobs.
import type { Micros } from '../../kernel/clock.ts';

/** Whether a job waits for its due time, runs in a process, or will not run. */
export type JobState = 'pending' | 'running' | 'set_aside';

/** A job in the queue of a database. */
export interface QueuedJob {
  readonly id: number;
  readonly dueAt: Micros;
  readonly kind: string;
  readonly subject: string;
  readonly claimedAt: Micros | null;
  readonly period: Micros | null;
  readonly failures: number;
  readonly setAsideAt: Micros | null;
  /** Why it was set aside. */
  readonly error: string | null;
}

/** Which jobs to list. */
export interface JobFilter {
  readonly service?: string | undefined;
  readonly kind?: string | undefined;
  readonly state?: JobState | undefined;
  readonly limit: number;
}

export const stateOf = ({ setAsideAt, claimedAt }: QueuedJob): JobState =>
  setAsideAt !== null ? 'set_aside' : claimedAt !== null ? 'running' : 'pending';
