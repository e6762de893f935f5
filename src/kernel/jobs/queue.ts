// The queue of jobs: rows with a due time instead of timers, so that jobs follow the emulated
// clock, resets and snapshots.
import { isWithin, machineNow, SECOND, type Micros } from '../clock.ts';
import { integer, json, micros, nullable, type StoredRow } from '../db/columns.ts';
import { SerializationFailure } from '../db/errors.ts';
import type { Database, Db } from '../db/database.ts';
import { batchesOf, deleteWhere } from '../db/owned-rows.ts';
import { insertRow, insertRows, Recurring } from '../db/drivers/recurring.ts';
import { pipelined } from '../db/pipelined.ts';
import { Table } from '../db/table.ts';
import { addNote, deferred } from '../db/transaction.ts';
import type { Job } from '../model.ts';
import { unavailable } from '../errors.ts';

const recurring = new Recurring();

/** A job as it was read. Another process may have claimed it since. */
export interface PendingJob extends Omit<Required<Job>, 'payload'> {
  readonly id: number;
  /** JSON, which may be broken. */
  readonly payload: string;
  readonly claimedAt: Micros | null;
  /**
   * Until when the rounds of a periodic job change nothing, unless another job does; null if that
   * is not known.
   */
  readonly steadyUntil: Micros | null;
  /** How often it has failed. */
  readonly failures: number;
  /** Whether the rounds of any periodic job are steady. */
  readonly isAnySteady: boolean;
}

interface JobRow {
  id: number;
  due_at: number;
  kind: string;
  subject: string;
  payload: string;
  period: number | null;
  steady_until: number | null;
  failures: number;
  /**
   * The machine's time at which a process claimed a multi-database job; null for a job that no
   * process runs.
   */
  claimed_at: number | null;
  any_steady: number;
}

/**
 * How long the claim on a multi-database job is valid, in the machine's time. After it, the process
 * that claimed the job is considered dead.
 */
const claimTimeout = 30 * SECOND;

/**
 * Schedules a job. It runs before the first request to its database after its due time.
 * @param steadyUntil see PendingJob
 */
export async function schedule(db: Db, job: Job, steadyUntil: Micros | null = null): Promise<void> {
  addNote(db, 'has changed a job');
  await deferred(insertRow(db, jobs.name, rowOf(job, steadyUntil)));
}

/** Schedules jobs, in their order. */
export async function scheduleAll(db: Db, all: readonly Job[]): Promise<void> {
  if (all.length) addNote(db, 'has changed a job');
  for (const batch of batchesOf(all)) {
    const rows = batch.map((job) => rowOf(job, null));
    await deferred(insertRows(db, jobs.name, rows));
  }
}

const rowOf = (
  { dueAt, kind, subject, payload = null, period = null }: Job,
  steadyUntil: Micros | null,
): StoredRow => ({
  due_at: dueAt,
  kind,
  subject,
  payload: JSON.stringify(payload),
  period,
  steady_until: steadyUntil,
});

/** Declares the columns that an import has to check. */
const jobs = new Table('jobs', {
  id: integer,
  dueAt: micros,
  steadyUntil: nullable(micros),
  payload: json<unknown>(),
});

/** The jobs that wait for their due time, or run: all but those that were set aside. */
const pending = (db: Db) => db(jobs.name).whereNull('set_aside_at');

/** Whether a job of a kind is pending. */
export async function isScheduled(db: Db, kind: string): Promise<boolean> {
  const found = await recurring.statement<object[]>(db, 'of a kind', [kind], ([wanted]) =>
    pending(db).where({ kind: wanted }).select('id').limit(1),
  );
  return found.length > 0;
}

/** Deletes the jobs of a kind about a subject. */
export async function cancel(db: Db, kind: string, subject: string): Promise<void> {
  addNote(db, 'has changed a job');
  await db('jobs').where({ kind, subject }).delete();
}

/** Deletes the jobs about some subjects, whatever their kind. */
export async function cancelAbout(db: Db, subjects: readonly string[]): Promise<void> {
  const isAbout = new Set(subjects);
  if (!isAbout.size) return;
  addNote(db, 'has changed a job');
  // The subject has no index, and a region has few jobs.
  const all = (await db('jobs').select('id', 'subject')) as { id: number; subject: string }[];
  const ids = all.filter(({ subject }) => isAbout.has(subject)).map(({ id }) => id);
  await deleteWhere(db, 'jobs', 'id', ids);
}

/** Moves the pending jobs of a kind about a subject to another due time. */
export async function reschedule(
  db: Db,
  { kind, subject }: Pick<Job, 'kind' | 'subject'>,
  dueAt: Micros,
): Promise<void> {
  addNote(db, 'has changed a job');
  await pending(db).where({ kind, subject }).update({ due_at: dueAt });
}

/** Deletes the jobs of a service. */
export async function cancelAll(db: Db, service: string): Promise<void> {
  addNote(db, 'has changed a job');
  await db('jobs').where('kind', 'like', `${service}.%`).delete();
}

/** The job with the earliest due time, which may be in the future; undefined if there is none. */
export async function nextJob(db: Db): Promise<PendingJob | undefined> {
  const [first] = await recurring.statement<JobRow[]>(db, 'next job', [], () => firstJobs(db, 1));
  return first && pendingOf(first);
}

/** Lists the first jobs that are due by a time, in the order in which they run. */
export async function dueJobs(db: Db, until: Micros, limit: number): Promise<PendingJob[]> {
  const rows = await recurring.statement<JobRow[]>(db, `${limit} due jobs`, [until], ([latest]) =>
    firstJobs(db, limit).where('due_at', '<=', latest!),
  );
  return rows.map(pendingOf);
}

function firstJobs(db: Db, limit: number) {
  const anySteady = db(jobs.name).whereNotNull('steady_until').select(db.raw('1'));
  return pending(db)
    .select('*', db.raw('exists ? as any_steady', [anySteady]))
    .orderBy('due_at')
    .orderBy('id')
    .limit(limit);
}

const pendingOf = (row: JobRow): PendingJob => ({
  id: row.id,
  dueAt: Number(row.due_at),
  kind: row.kind,
  subject: row.subject,
  payload: row.payload,
  period: nullOr(row.period),
  claimedAt: nullOr(row.claimed_at),
  steadyUntil: nullOr(row.steady_until),
  failures: row.failures,
  isAnySteady: Boolean(row.any_steady),
});

const nullOr = (value: unknown): number | null => (value === null ? null : Number(value));

/**
 * Claims a job by deleting its row, inside the transaction that runs it, so that only one process
 * can have it.
 * @returns false if the job is gone: another process has run it
 * @throws SerializationFailure if another process runs it, in several transactions
 */
async function claim(db: Db, { id, dueAt, claimedAt }: PendingJob): Promise<boolean> {
  if (claimedAt !== null && isWithin(claimTimeout, claimedAt)) throw claimedElsewhere();
  // `+ 0` prevents the use of the index on `due_at`: MariaDB would lock the gap behind the job in
  // that index, and block inserts of other jobs.
  const claimed = claimedAt === null ? [] : [claimedAt];
  const name = claimedAt === null ? 'claim job' : 'claim job again';
  const deleted = await recurring.statement<number>(
    db,
    name,
    [id, dueAt, ...claimed],
    ([job, due, at]) =>
      db('jobs')
        .where({ id: job, claimed_at: at ?? null })
        .whereRaw('due_at + 0 = ?', [due!])
        .delete(),
  );
  return deleted > 0;
}

/**
 * Claims jobs that run together. On MySQL each is claimed by its own row: a DELETE of several might
 * lock the whole table.
 * @returns false if one of them is gone. The caller rolls back.
 * @throws SerializationFailure as `claim`
 */
export async function claimAll(
  db: Db,
  jobs: readonly PendingJob[],
  kind: Database['kind'],
): Promise<boolean> {
  if (kind === 'mysql' || jobs.some(({ claimedAt }) => claimedAt !== null))
    return (await pipelined(jobs.map((job) => claim(db, job)))).every(Boolean);
  const times = [...new Set(jobs.map(({ dueAt }) => dueAt))];
  const values = [...jobs.map(({ id }) => id), ...times];
  const name = `claim ${jobs.length} jobs of ${times.length} times`;
  const deleted = await recurring.statement<number>(db, name, values, (given) => {
    const due = db.raw(
      `due_at + 0 in (${times.map(() => '?').join(', ')})`,
      given.slice(jobs.length),
    );
    return db('jobs')
      .whereIn('id', given.slice(0, jobs.length))
      .whereNull('claimed_at')
      .where(due)
      .delete();
  });
  return deleted === jobs.length;
}

/** The error after which a new transaction sees the result of the other process. */
export const claimedElsewhere = (): SerializationFailure =>
  new SerializationFailure(unavailable('Another process is running the due jobs.'));

/**
 * Inserts a claimed job again, marked as claimed, because it will run outside of the transaction.
 * @returns the time of the claim
 */
export async function recordClaim(db: Db, job: PendingJob): Promise<Micros> {
  const { id, dueAt, kind, subject, payload, period, failures } = job;
  const row = {
    id,
    due_at: dueAt,
    kind,
    subject,
    payload,
    period,
    failures,
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
 * Deletes a finished multi-database job.
 * @returns false if it was cancelled in the meantime, or if a restore has released its claim
 */
export const finish = async (
  db: Db,
  { id }: Pick<PendingJob, 'id'>,
  claimedAt: Micros,
): Promise<boolean> => (await db('jobs').where({ id, claimed_at: claimedAt }).delete()) > 0;

/** Gives a failed job a later due time. */
export async function retryLater(
  db: Db,
  { id, failures }: PendingJob,
  dueAt: Micros,
): Promise<void> {
  await pending(db)
    .where({ id })
    .update({ due_at: dueAt, claimed_at: null, steady_until: null, failures: failures + 1 });
}

/** Sets a job aside that cannot run: it stays in the table, and runs no more. */
export async function setAside(
  db: Db,
  { id, failures }: PendingJob,
  now: Micros,
  error: string,
): Promise<void> {
  await pending(db)
    .where({ id })
    .update({
      set_aside_at: now,
      claimed_at: null,
      steady_until: null,
      failures: failures + 1,
      error: error.slice(0, 1000),
    });
}
