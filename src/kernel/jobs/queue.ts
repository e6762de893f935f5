// Jobs: pending work as rows with a due time, and no timers, so that the clock, a reset and a
// snapshot govern it.
import { machineNow, SECOND, type Micros } from '../clock.ts';
import { SerializationFailure } from '../db/errors.ts';
import type { Db } from '../db/database.ts';
import { deferred } from '../db/transaction.ts';
import type { Job } from '../model.ts';
import { unavailable } from '../errors.ts';

/** A job that is being done. */
export type ClaimedJob = Required<Job> & { readonly id: number };

interface JobRow {
  id: number;
  due_at: number;
  kind: string;
  subject: string;
  payload: string;
  /**
   * The machine's time at which a process took a spanning job that it has not finished; null where
   * none has.
   */
  claimed_at: number | null;
}

/**
 * How long a spanning job belongs to the process that took it, in the machine's time: after it,
 * that process counts as gone.
 */
const claimTimeout = 30 * SECOND;

/** Writes a job. It is done before the first request to its database at or after its due time. */
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

/** Brings the pending jobs of a kind about a subject forward, to that time. */
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

/** A job that nobody has taken yet, as far as the one who read it knows. */
export interface PendingJob extends ClaimedJob {
  readonly claimedAt: number | null;
}

/** The job that is due first, whenever that is; undefined where there is none. */
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
 * Takes a job out of the table, inside the transaction that will do it: of several processes one
 * gets it, because deleting the row is the claim.
 * @returns whether it was there: another process may have done it
 * @throws Contention where another process is doing it, in several transactions
 */
export async function claim(db: Db, { id, dueAt, claimedAt }: PendingJob): Promise<boolean> {
  if (claimedAt !== null && claimedAt > machineNow() - claimTimeout) throw claimedElsewhere();
  // `+ 0` keeps the index of `due_at` out: MariaDB would lock the gap behind the job there, and
  // with it all jobs that are to be written.
  const job = db('jobs').where({ id, claimed_at: claimedAt }).whereRaw('due_at + 0 = ?', [dueAt]);
  return (await job.delete()) > 0;
}

/** A new transaction sees what the other process has left. */
export const claimedElsewhere = (): SerializationFailure =>
  new SerializationFailure(unavailable('Due work is being done by another process.'));

/**
 * Writes a job that `take` took back as taken, because it will be done outside of the transaction.
 * @returns when it was taken
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
 * Lets any process take the jobs that others have taken: in a state that was put back nobody is
 * doing them.
 */
export async function releaseClaims(db: Db): Promise<void> {
  await db('jobs').whereNotNull('claimed_at').update({ claimed_at: null });
}

/**
 * Takes a spanning job that is done out of the table, unless a state was put back meanwhile in
 * which nobody has taken it.
 */
export async function finish(db: Db, { id }: ClaimedJob, claimedAt: Micros): Promise<void> {
  await db('jobs').where({ id, claimed_at: claimedAt }).delete();
}

/** Gives a job that failed a later due time. */
export async function retryLater(db: Db, { id }: ClaimedJob, dueAt: Micros): Promise<void> {
  await db('jobs').where({ id }).update({ due_at: dueAt, claimed_at: null });
}
