// The worker, which starts and finishes jobs. Upstream: tricircle/xjob/xmanager.py and finish_job
// in tricircle/db/api.py.
//
// When a new job starts, a second row with the status RUNNING is inserted. When it succeeds, all
// rows with its type and resource are deleted, and one with a new id is added to the log. It fails
// if its pod does not exist, if the pod has no Neutron in the catalog, if a pod refuses the work,
// or if the settings make jobs of this type fail. A failed job keeps the status FAIL until a client
// redoes it; upstream's worker redoes it every minute.
import { inCentralTransaction } from '../../../../kernel/context.ts';
import { SECOND } from '../../../../kernel/clock.ts';
import { newUuid } from '../../../../kernel/ids.ts';
import { schedule } from '../../../../kernel/jobs/queue.ts';
import type { Job, Context } from '../../../../kernel/model.ts';
import { findEndpoint } from '../../clients/identity.ts';
import * as store from '../../store/async-jobs.ts';
import { findPod } from '../../store/pods.ts';
import type { AsyncJob } from '../../model.ts';
import { loadSettings } from '../settings.ts';
import { perform } from '../cascade/follow.ts';
import { scheduleStart } from './jobs.ts';
import { resourceOf } from './types.ts';

export const finishKind = 'tricircle.finish_job';

/** The `pod_id` of a job for all pods. Upstream: POD_NOT_SPECIFIED. */
const anyPod = 'not_specified_pod';

/** The payload of the job that finishes a running one. */
interface Finish {
  readonly id: string;
  /** The time of the new job that it runs for. */
  /** Stored in jobs, so the name stays. */
  readonly asked: number;
}

/** Starts the latest new job. If one is running already, the new one starts after its end. */
export async function startJob(
  context: Context,
  { payload }: Pick<Required<Job>, 'payload'>,
): Promise<void> {
  const task = payload as Pick<AsyncJob, 'type' | 'resourceId'>;
  const requested = await store.latestJob(context.db, task, 'NEW');
  if (!requested || (await store.latestJob(context.db, task, 'RUNNING'))) return;
  const running: AsyncJob = {
    ...requested,
    id: newUuid(),
    status: 'RUNNING',
    timestamp: context.now,
    revision: 0,
  };
  await store.insertJob(context.db, running);
  const { jobDuration } = await loadSettings(context);
  const finish: Finish = { id: running.id, asked: requested.timestamp };
  await schedule(context.db, {
    dueAt: context.now + jobDuration * SECOND,
    kind: finishKind,
    subject: running.id,
    payload: finish,
  });
}

/**
 * Does the work of a running job, and finishes it. If it succeeds, it replaces all earlier jobs
 * with its task in the log.
 */
export async function finishJob(
  context: Context,
  { payload }: Pick<Required<Job>, 'payload'>,
): Promise<void> {
  const { id, asked: requestedAt } = payload as Finish;
  const started = await store.findJob(context.db, id);
  if (started?.status !== 'RUNNING') return;
  const resource = resourceOf(started.type, started.resourceId);
  const isFailed =
    (await fails(context, started)) || !(await perform(context, started.type, resource));
  await inCentralTransaction(context, async (central) => {
    const running = await store.findJob(central.db, id);
    if (running?.status !== 'RUNNING') return;
    if (isFailed) {
      await store.failJob(central.db, running, requestedAt);
      await store.deleteJobsUntil(central.db, running, requestedAt - 1);
    } else {
      await store.deleteJob(central.db, running);
      await store.deleteJobsUntil(central.db, running, requestedAt);
      await store.insertLog(central.db, { ...running, id: newUuid(), timestamp: requestedAt });
    }
    const next = await store.latestJob(central.db, running, 'NEW');
    if (next && next.timestamp > requestedAt) await scheduleStart(central, running);
  });
}

async function fails(context: Context, { type, resourceId }: AsyncJob): Promise<boolean> {
  if ((await loadSettings(context)).failingJobTypes.includes(type)) return true;
  const podId = resourceOf(type, resourceId)['pod_id'];
  if (podId === undefined || podId === anyPod) return false;
  const pod = await findPod(context.db, podId);
  return !pod || !(await findEndpoint(context, pod.regionName, 'network'));
}
