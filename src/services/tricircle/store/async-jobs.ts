// The tables of asynchronous jobs, and of those that succeeded.
import type { Knex } from 'knex';
import type { Db } from '../../../kernel/db/database.ts';
import { SerializationFailure, isDuplicate } from '../../../kernel/db/errors.ts';
import { orderBy } from '../../../kernel/db/keyset.ts';
import { deleteAtRevision, updateAtRevision } from '../../../kernel/db/optimistic-lock.ts';
import { unavailable } from '../../../kernel/errors.ts';
import type { AsyncJob, JobLog, JobStatus } from '../model.ts';

interface LogRow {
  id: string;
  project_id: string;
  type: string;
  resource_id: string;
  timestamp: number;
}

interface Row extends LogRow {
  status: JobStatus;
  /** 1 while it runs, so that one job of a type runs for a resource; null else. */
  running: number | null;
  revision: number;
}

const name = 'tricircle_jobs';
const logName = 'tricircle_job_logs';

const logOf = (row: LogRow): JobLog => ({
  id: row.id,
  projectId: row.project_id,
  type: row.type,
  resourceId: row.resource_id,
  timestamp: Number(row.timestamp),
});
const jobOf = (row: Row): AsyncJob => ({
  ...logOf(row),
  status: row.status,
  revision: Number(row.revision),
});

const changed = () => unavailable('The job is being changed by another request. Please try again.');

/** @throws Contention where another job of the type has begun to run for the resource meanwhile */
export async function insertJob(db: Db, job: AsyncJob): Promise<void> {
  const { id, projectId, type, resourceId, timestamp, status, revision } = job;
  const running = status === 'RUNNING' ? 1 : null;
  try {
    await db(name).insert({
      id,
      project_id: projectId,
      type,
      resource_id: resourceId,
      timestamp,
      status,
      running,
      revision,
    });
  } catch (error) {
    throw isDuplicate(error) ? new SerializationFailure(changed()) : error;
  }
}

export async function insertLog(
  db: Db,
  { id, projectId, type, resourceId, timestamp }: JobLog,
): Promise<void> {
  await db(logName).insert({ id, project_id: projectId, type, resource_id: resourceId, timestamp });
}

/** Ends a running job as failed. @throws Contention */
export async function failJob(
  db: Db,
  { id, revision }: AsyncJob,
  timestamp: number,
): Promise<void> {
  await updateAtRevision(
    db,
    { name },
    [id, revision],
    { status: 'FAIL', running: null, timestamp },
    changed,
  );
}

/** @throws Contention */
export async function deleteJob(db: Db, { id, revision }: AsyncJob): Promise<void> {
  await deleteAtRevision(db, { name }, [id, revision], changed);
}

/** Deletes the jobs of a type for a resource that are not newer than a time. */
export async function deleteJobsUntil(
  db: Db,
  { type, resourceId }: Pick<AsyncJob, 'type' | 'resourceId'>,
  until: number,
): Promise<void> {
  await db(name).where({ type, resource_id: resourceId }).where('timestamp', '<=', until).delete();
}

export async function findJob(db: Db, id: string): Promise<AsyncJob | undefined> {
  const row = (await db(name).where({ id }).first()) as Row | undefined;
  return row && jobOf(row);
}

export async function findLog(db: Db, id: string): Promise<JobLog | undefined> {
  const row = (await db(logName).where({ id }).first()) as LogRow | undefined;
  return row && logOf(row);
}

/** The latest job of a type for a resource in a status. */
export async function latestJob(
  db: Db,
  { type, resourceId }: Pick<AsyncJob, 'type' | 'resourceId'>,
  status: JobStatus,
): Promise<AsyncJob | undefined> {
  const query = db(name).where({ type, resource_id: resourceId, status });
  const row = (await query.orderBy('timestamp', 'desc').orderBy('id', 'desc').first()) as
    Row | undefined;
  return row && jobOf(row);
}

/** Which jobs a page is about. */
export interface JobFilter {
  readonly projectId: string;
  readonly type?: string | undefined;
  readonly status?: string | undefined;
  readonly after?: Pick<AsyncJob, 'id' | 'timestamp'> | undefined;
  readonly limit: number;
}

/** Jobs that are not done, the latest first. */
export async function listJobs(db: Db, filter: JobFilter): Promise<AsyncJob[]> {
  const query = db(name) as unknown as Knex.QueryBuilder;
  if (filter.status !== undefined) void query.where('status', filter.status);
  return ((await paged(query, filter)) as Row[]).map((row) => jobOf(row));
}

/** Jobs that succeeded, the latest first. */
export async function listLogs(db: Db, filter: JobFilter): Promise<JobLog[]> {
  return ((await paged(db(logName) as unknown as Knex.QueryBuilder, filter)) as LogRow[]).map(
    (row) => logOf(row),
  );
}

function paged(
  query: Knex.QueryBuilder,
  { projectId, type, after, limit }: JobFilter,
): Knex.QueryBuilder {
  void query.where('project_id', projectId).limit(limit);
  if (type !== undefined) void query.where('type', type);
  const order = ['timestamp', 'id'].map((column) => ({ column, descending: true }));
  orderBy(query, order, after && [after.timestamp, after.id]);
  return query;
}
