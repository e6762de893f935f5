// Creates, redoes and deletes asynchronous jobs. Upstream: tricircle/api/controllers/job.py.
import { SECOND } from '../../../../kernel/clock.ts';
import { newUuid } from '../../../../kernel/ids.ts';
import { schedule } from '../../../../kernel/jobs/queue.ts';
import type { Context } from '../../../../kernel/model.ts';
import * as store from '../../store/async-jobs.ts';
import type { Fields } from '../fields.ts';
import type { AsyncJob, JobLog } from '../../model.ts';
import { typed } from '../errors.ts';
import { loadSettings } from '../settings.ts';
import { readJob } from './requests.ts';

export const startKind = 'tricircle.start_job';

/** The task of a job. */
type Task = Pick<AsyncJob, 'type' | 'projectId' | 'resourceId'>;

/**
 * Creates a job, which a worker runs later. There may be several jobs with the same task. @throws
 * 400
 */
export const createJob = async (context: Context, fields: Fields): Promise<AsyncJob> =>
  insertJob(context, await readJob(context, fields));

async function insertJob(context: Context, task: Task): Promise<AsyncJob> {
  const job: AsyncJob = {
    ...task,
    id: newUuid(),
    status: 'NEW',
    timestamp: context.now,
    revision: 0,
  };
  await store.insertJob(context.db, job);
  await scheduleStart(context, task);
  return job;
}

/** Schedules the start of the latest new job of a type for a resource. */
export async function scheduleStart(
  context: Context,
  { type, resourceId }: Pick<Task, 'type' | 'resourceId'>,
): Promise<void> {
  const { jobWait } = await loadSettings(context);
  await schedule(context.db, {
    dueAt: context.now + jobWait * SECOND,
    kind: startKind,
    subject: type,
    payload: { type, resourceId },
  });
}

/** Finds a job or the log entry of one. @throws 404 */
export async function findJob({ db }: Context, id: string): Promise<AsyncJob | JobLog> {
  const job = (await store.findJob(db, id)) ?? (await store.findLog(db, id));
  if (!job) throw typed(404, 'Resource not found');
  return job;
}

/** Finds a job that has not succeeded yet. @throws 400, 404 */
async function findUnfinishedJob({ db }: Context, id: string): Promise<AsyncJob> {
  if (await store.findLog(db, id)) throw typed(400, `Job ${id} is from job log`);
  const job = await store.findJob(db, id);
  if (!job) throw typed(404, `Job ${id} not found`);
  return job;
}

/** Creates a new job with the same task. This one stays until the new one ends. @throws 400, 404 */
export async function redoJob(context: Context, id: string): Promise<void> {
  const job = await findUnfinishedJob(context, id);
  if (job.status === 'RUNNING') throw typed(400, `Can't redo job ${id} which is running`);
  const { type, projectId, resourceId } = job;
  await insertJob(context, { type, projectId, resourceId });
}

/** @throws 400, 404, SerializationFailure */
export async function deleteJob(context: Context, id: string): Promise<void> {
  const job = await findUnfinishedJob(context, id);
  if (job.status === 'RUNNING') throw typed(400, `Failed to delete the running job ${id}`);
  await store.deleteJob(context.db, job);
}
