// The queue of jobs of a database, for an operator.
import type { Micros } from '../../kernel/clock.ts';
import { integer, micros, nullable, text } from '../../kernel/db/columns.ts';
import type { Db } from '../../kernel/db/database.ts';
import { Table } from '../../kernel/db/table.ts';
import type { JobFilter, QueuedJob } from './model.ts';

const jobs = new Table<QueuedJob>('jobs', {
  id: integer,
  dueAt: micros,
  kind: text,
  subject: text,
  claimedAt: nullable(micros),
  period: nullable(integer),
  failures: integer,
  setAsideAt: nullable(micros),
  error: nullable(text),
});

/** The jobs that match, in order of their due time. */
export function listJobs(db: Db, { service, kind, state, limit }: JobFilter): Promise<QueuedJob[]> {
  const query = jobs.query(db).orderBy('due_at').orderBy('id').limit(limit);
  if (kind !== undefined) void query.where({ kind });
  if (service !== undefined)
    void query.whereRaw("kind LIKE ? ESCAPE '!'", [`${service.replaceAll(/[!%_]/g, '!$&')}.%`]);
  if (state === 'set_aside') void query.whereNotNull('set_aside_at');
  else if (state !== undefined) {
    void query.whereNull('set_aside_at');
    if (state === 'running') void query.whereNotNull('claimed_at');
    else void query.whereNull('claimed_at');
  }
  return jobs.read(query);
}

export const findJob = (db: Db, id: number): Promise<QueuedJob | undefined> =>
  jobs.find(db, { id });

/** Lets a job that was set aside run again. @returns false if it is no longer set aside */
export const resumeJob = async (db: Db, id: number, dueAt: Micros): Promise<boolean> =>
  (await db('jobs')
    .where({ id })
    .whereNotNull('set_aside_at')
    .update({ due_at: dueAt, set_aside_at: null, error: null, failures: 0 })) > 0;

/** Deletes a job. @returns false if it is gone, or runs now */
export const dropJob = async (db: Db, id: number): Promise<boolean> =>
  (await db('jobs').where({ id, claimed_at: null }).delete()) > 0;
