// The queue of jobs: rows with a due time instead of timers, so that jobs follow the emulated
// clock, resets and snapshots.
import { machineNow, SECOND, type Micros } from '../clock.ts';
import { SerializationFailure } from '../db/errors.ts';
import type { Db } from '../db/database.ts';
import { deferred } from '../db/transaction.ts';
import type { Job } from '../model.ts';
import { unavailable } from '../errors.ts';

/** A job with its id in the queue. */
export type ClaimedJob = Required<Job> & { readonly id: number };

interface JobRow {
  id: number;
  due_at: number;
  kind: string;
  subject: string;
  payload: string;
  /**
   * The machine's time at which a process claimed a multi-database job; null for a job that no
   * process runs.
   */
  claimed_at: number | null;
}

/**
 * How long the claim on a multi-database job is valid, in the machine's time. After it, the process
 * that claimed the job is considered dead.
 */
const claimTimeout = 30 * SECOND;

/** Schedules a job. It runs before the first request to its database after its due time. */
export async function schedule(db: Db, job: Job): Promise<void> {
  const { dueAt, kind, subject, payload = null } = job;
  await deferred(
    db('jobs').insert({ due_at: dueAt, kind, subject, payload: JSON.stringify(payload) }),
  );
}

/** Whether a job of a kind is pending. */
export const isScheduled = async (db: Db, kind: string): Promise<boolean> =>
  (await db('jobs').where({ kind }).first('id')) !== undefined;

/** Deletes the pending jobs of a kind about a subject. */
export async function cancel(db: Db, kind: string, subject: string): Promise<void> {
  await db('jobs').where({ kind, subject }).delete();
}

/** Moves the pending jobs of a kind about a subject to another due time. */
export async function reschedule(
  db: Db,
  { kind, subject }: Pick<Job, 'kind' | 'subject'>,
  dueAt: Micros,
): Promise<void> {
  await db('jobs').where({ kind, subject }).update({ due_at: dueAt });
}

/** Deletes the pending jobs of a service. */
export async function cancelAll(db: Db, service: string): Promise<void> {
  await db('jobs').where('kind', 'like', `${service}.%`).delete();
}

/** A job as it was read. Another process may have claimed it since. */
export interface PendingJob extends ClaimedJob {
  readonly claimedAt: number | null;
}

/** The job with the earliest due time, which may be in the future; undefined if there is none. */
export async function nextJob(db: Db): Promise<PendingJob | undefined> {
  const row = (await db('jobs').orderBy('due_at').orderBy('id').first()) as JobRow | undefined;
  return (
    row && {
      id: row.id,
      dueAt: Number(row.due_at),
      kind: row.kind,
      subject: row.subject,
      payload: JSON.parse(row.payload) as unknown,
      claimedAt: row.claimed_at === null ? null : Number(row.claimed_at),
    }
  );
}

/**
 * Claims a job by deleting its row, inside the transaction that runs it, so that only one process
 * can have it.
 * @returns false if the job is gone: another process has run it
 * @throws SerializationFailure if another process runs it, in several transactions
 */
export async function claim(db: Db, { id, dueAt, claimedAt }: PendingJob): Promise<boolean> {
  if (claimedAt !== null && claimedAt > machineNow() - claimTimeout) throw claimedElsewhere();
  // `+ 0` prevents the use of the index on `due_at`: MariaDB would lock the gap behind the job in
  // that index, and block inserts of other jobs.
  const job = db('jobs').where({ id, claimed_at: claimedAt }).whereRaw('due_at + 0 = ?', [dueAt]);
  return (await job.delete()) > 0;
}

/** The error after which a new transaction sees the result of the other process. */
export const claimedElsewhere = (): SerializationFailure =>
  new SerializationFailure(unavailable('Another process is running the due jobs.'));

/**
 * Inserts a claimed job again, marked as claimed, because it will run outside of the transaction.
 * @returns the time of the claim
 */
export async function recordClaim(
  db: Db,
  { id, dueAt, kind, subject, payload }: ClaimedJob,
): Promise<Micros> {
  const row = {
    id,
    due_at: dueAt,
    kind,
    subject,
    payload: JSON.stringify(payload),
    claimed_at: machineNow(),
  };
  await db('jobs').insert(row);
  return row.claimed_at;
}

/**
 * Releases all claims. In a restored state, no process runs the jobs.
 */
export async function releaseClaims(db: Db): Promise<void> {
  await db('jobs').whereNotNull('claimed_at').update({ claimed_at: null });
}

/**
 * Deletes a finished multi-database job, unless a restore in the meantime has released its claim.
 */
export async function finish(db: Db, { id }: ClaimedJob, claimedAt: Micros): Promise<void> {
  await db('jobs').where({ id, claimed_at: claimedAt }).delete();
}

/** Gives a failed job a later due time. */
export async function retryLater(db: Db, { id }: ClaimedJob, dueAt: Micros): Promise<void> {
  await db('jobs').where({ id }).update({ due_at: dueAt, claimed_at: null });
}
