// The tables of asynchronous jobs, and of those that succeeded.
import { integer, jsonTexts, micros, text, textOf } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { retryOnConstraint } from '../../../kernel/db/errors.ts';
import { RevisionTable } from '../../../kernel/db/revision-table.ts';
import { Table } from '../../../kernel/db/table.ts';
import { unavailable } from '../../../kernel/errors.ts';
import { jobStatuses, type AsyncJob, type JobLog, type JobStatus } from '../model.ts';

const logColumns = {
  id: text,
  projectId: text,
  type: text,
  // Compared as text, and parsed by the domain.
  resourceId: { ...text, mismatch: jsonTexts().mismatch! },
  timestamp: micros,
};

const jobs = new RevisionTable<AsyncJob>(
  'tricircle_jobs',
  { ...logColumns, status: textOf(jobStatuses), revision: integer },
  {
    revision: 'revision',
    // A unique key allows one running job of each type for a resource.
    derived: ({ status }) =>
      status === undefined ? {} : { running: status === 'RUNNING' ? 1 : null },
  },
);

const logs = new Table<JobLog>('tricircle_job_logs', logColumns);

const changed = () => unavailable('The job is being changed by another request. Please try again.');

/** @throws SerializationFailure if another job of the type has begun to run for the resource */
export async function insertJob(db: Db, job: AsyncJob): Promise<void> {
  await retryOnConstraint(jobs.insert(db, job), changed);
}

export async function insertLog(db: Db, log: JobLog): Promise<void> {
  await logs.insert(db, log);
}

/** Ends a running job as failed. @throws SerializationFailure */
export async function failJob(db: Db, job: AsyncJob, timestamp: number): Promise<void> {
  await jobs.updateAtRevision(db, job, { status: 'FAIL', timestamp }, changed);
}

/** @throws SerializationFailure */
export const deleteJob = (db: Db, job: AsyncJob): Promise<void> =>
  jobs.removeAtRevision(db, job, changed);

/** Deletes the jobs of a type for a resource up to a time. */
export async function deleteJobsUntil(
  db: Db,
  { type, resourceId }: Pick<AsyncJob, 'type' | 'resourceId'>,
  until: number,
): Promise<void> {
  await jobs
    .query(db)
    .where({ type, resource_id: resourceId })
    .where('timestamp', '<=', until)
    .delete();
}

/** Deletes the failed jobs of a type for a resource. */
export async function deleteFailedJobs(
  db: Db,
  { type, resourceId }: Pick<AsyncJob, 'type' | 'resourceId'>,
): Promise<void> {
  await jobs.remove(db, { type, resourceId, status: 'FAIL' });
}

export const findJob = (db: Db, id: string): Promise<AsyncJob | undefined> => jobs.find(db, { id });

export const findLog = (db: Db, id: string): Promise<JobLog | undefined> => logs.find(db, { id });

/** Finds the latest job of a type for a resource in a status. */
export async function latestJob(
  db: Db,
  { type, resourceId }: Pick<AsyncJob, 'type' | 'resourceId'>,
  status: JobStatus,
): Promise<AsyncJob | undefined> {
  const where = { type, resourceId, status };
  const [job] = await jobs.list(db, { where, sort: latestFirst, limit: 1 });
  return job;
}

const latestFirst = [
  { field: 'timestamp', descending: true },
  { field: 'id', descending: true },
] as const;

/** Selects a page of jobs. */
export interface JobFilter {
  readonly projectId: string;
  readonly type?: string | undefined;
  readonly status?: string | undefined;
  readonly after?: Pick<AsyncJob, 'id' | 'timestamp'> | undefined;
  readonly limit: number;
}

/** Lists jobs that have not succeeded, latest first. */
export const listJobs = (
  db: Db,
  { projectId, type, status, after, limit }: JobFilter,
): Promise<AsyncJob[]> =>
  jobs.list(db, {
    where: { projectId, type },
    conditions: status === undefined ? [] : [(query) => void query.where({ status })],
    sort: latestFirst,
    after,
    limit,
  });

/** Lists jobs that have succeeded, latest first. */
export const listLogs = (db: Db, { projectId, type, after, limit }: JobFilter): Promise<JobLog[]> =>
  logs.list(db, { where: { projectId, type }, sort: latestFirst, after, limit });
