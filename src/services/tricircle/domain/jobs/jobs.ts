// Asynchronous jobs: made, done again, deleted. Upstream: tricircle/api/controllers/job.py.
import { SECOND } from '../../../../kernel/clock.ts';
import { newUuid } from '../../../../kernel/ids.ts';
import { schedule } from '../../../../kernel/jobs/queue.ts';
import type { Context } from '../../../../kernel/model.ts';
import * as store from '../../store/async-jobs.ts';
import type { Fields } from '../fields.ts';
import type { AsyncJob, JobLog } from '../../model.ts';
import { typed } from '../refusals.ts';
import { settingsOf } from '../settings.ts';
import { requestedJob } from './requests.ts';

export const startKind = 'tricircle.start_job';

type About = Pick<AsyncJob, 'type' | 'projectId' | 'resourceId'>;

/**
 * Creates a job, which a worker takes up later. One more that is like another is allowed.
 * @throws 400
 */
export const createJob = async (context: Context, fields: Fields): Promise<AsyncJob> =>
  makeJob(context, await requestedJob(context, fields));

async function makeJob(context: Context, about: About): Promise<AsyncJob> {
  const job: AsyncJob = {
    ...about,
    id: newUuid(),
    status: 'NEW',
    timestamp: context.now,
    revision: 0,
  };
  await store.insertJob(context.db, job);
  await scheduleStart(context, about);
  return job;
}

/** Writes down when a worker takes up the latest new job of a type for a resource. */
export async function scheduleStart(
  context: Context,
  { type, resourceId }: Pick<About, 'type' | 'resourceId'>,
): Promise<void> {
  const { jobWait } = await settingsOf(context);
  await schedule(context.db, {
    dueAt: context.now + jobWait * SECOND,
    kind: startKind,
    subject: type,
    payload: { type, resourceId },
  });
}

/** A job, done or not. @throws 404 */
export async function findJob({ db }: Context, id: string): Promise<AsyncJob | JobLog> {
  const job = (await store.findJob(db, id)) ?? (await store.findLog(db, id));
  if (!job) throw typed(404, 'Resource not found');
  return job;
}

/** A job that is not done. @throws 400, 404 */
async function unfinishedJob({ db }: Context, id: string): Promise<AsyncJob> {
  if (await store.findLog(db, id)) throw typed(400, `Job ${id} is from job log`);
  const job = await store.findJob(db, id);
  if (!job) throw typed(404, `Job ${id} not found`);
  return job;
}

/**
 * Does what a job is about once more: a new job is made, and this one stays until that has an end.
 * @throws 400, 404
 */
export async function redoJob(context: Context, id: string): Promise<void> {
  const job = await unfinishedJob(context, id);
  if (job.status === 'RUNNING') throw typed(400, `Can't redo job ${id} which is running`);
  const { type, projectId, resourceId } = job;
  await makeJob(context, { type, projectId, resourceId });
}

/** @throws 400, 404; Contention */
export async function deleteJob(context: Context, id: string): Promise<void> {
  const job = await unfinishedJob(context, id);
  if (job.status === 'RUNNING') throw typed(400, `Failed to delete the running job ${id}`);
  await store.deleteJob(context.db, job);
}
