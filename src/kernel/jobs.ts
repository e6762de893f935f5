// Pending work as rows with a due time: no timers, so that the clock, a reset and a snapshot own it.
import type { Micros } from './clock.ts';
import { Contention } from './db/errors.ts';
import type { Db } from './db/open.ts';
import { unavailable } from './fault.ts';

/** Something that is to happen. `subject` is what it is about, so that it can be called off. */
export interface Job {
  readonly dueAt: Micros;
  /** `<service>.<what>`, such as `reservation.lease_start`. */
  readonly kind: string;
  readonly subject: string;
  readonly payload?: unknown;
}

/** A job that is being done. */
export type TakenJob = Required<Job> & { readonly id: number };

interface JobRow {
  id: number;
  due_at: number;
  kind: string;
  subject: string;
  payload: string;
}

/** Does a job, in a transaction of its own, with `now` the time at which it was due. */
export type JobHandler<Context> = (
  context: Context & { readonly db: Db; readonly now: Micros },
  job: Required<Job>,
) => Promise<void>;

/** Writes a job down. It happens on the first request to the region at or after its time. */
export async function schedule(db: Db, job: Job): Promise<void> {
  const { dueAt, kind, subject, payload = null } = job;
  await db('jobs').insert({ due_at: dueAt, kind, subject, payload: JSON.stringify(payload) });
}

/** Calls off the jobs of a kind about a subject. */
export async function callOff(db: Db, kind: string, subject: string): Promise<void> {
  await db('jobs').where({ kind, subject }).delete();
}

/** Calls off all jobs of a service. */
export async function callOffAll(db: Db, service: string): Promise<void> {
  await db('jobs').where('kind', 'like', `${service}.%`).delete();
}

/** When the next job is due; undefined where there is none. */
export async function nextDue(db: Db): Promise<Micros | undefined> {
  const row = (await db('jobs').orderBy('due_at').orderBy('id').first('due_at')) as Pick<JobRow, 'due_at'> | undefined;
  return row && Number(row.due_at);
}

/**
 * Takes the earliest job that is due by `now` out of the table, inside the transaction that will do it: of several processes
 * one gets it, because deleting the row is the claim.
 * @returns undefined where nothing is due
 */
export async function takeDue(db: Db, now: Micros): Promise<TakenJob | undefined> {
  const row = (await db('jobs').where('due_at', '<=', now).orderBy('due_at').orderBy('id').first()) as JobRow | undefined;
  if (!row) return undefined;
  const claimed = await db('jobs').where({ id: row.id }).delete();
  if (!claimed) throw new Contention(unavailable('Due work is being done by another process.')); // a new transaction sees what is left
  return {
    id: row.id,
    dueAt: Number(row.due_at),
    kind: row.kind,
    subject: row.subject,
    payload: JSON.parse(row.payload) as unknown,
  };
}

/** Leaves a job that could not be done for later. */
export async function putOff(db: Db, { id }: TakenJob, dueAt: Micros): Promise<void> {
  await db('jobs').where({ id }).update({ due_at: dueAt });
}
