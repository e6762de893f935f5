// The worker: takes new jobs up, and ends them. Upstream: tricircle/xjob/xmanager.py and finish_job
// in tricircle/db/api.py.
//
// What upstream's worker does to the Neutron of pods is not simulated: only what clients see of its
// jobs. A new job waits, then runs beside the row that it was asked for by, and succeeds: then all
// rows of its type and resource go, and one in the log takes their place, under an id of its own.
// It fails where the pod that it names does not exist, or has no Neutron in the catalog, and where
// an operator says that jobs of the type fail: then it stays as FAIL until somebody does it again.
// Upstream's worker would do that by itself each minute.
import { SECOND } from '../../../../kernel/clock.ts';
import { newUuid } from '../../../../kernel/ids.ts';
import { schedule } from '../../../../kernel/jobs/queue.ts';
import type { Job, Context } from '../../../../kernel/model.ts';
import { endpointIn } from '../../clients/identity.ts';
import * as store from '../../store/async-jobs.ts';
import { findPod } from '../../store/pods.ts';
import type { AsyncJob } from '../../model.ts';
import { settingsOf } from '../settings.ts';
import { scheduleStart } from './jobs.ts';
import { resourceOf } from './types.ts';

export const finishKind = 'tricircle.finish_job';

/** Stands for a pod where a job is about all of them. Upstream: POD_NOT_SPECIFIED. */
const anyPod = 'not_specified_pod';

interface Finish {
  readonly id: string;
  /** The time of the new job for which it runs. */
  readonly asked: number;
}

/** Begins to run the latest new job. Where one runs already, its end looks for what is new. */
export async function startJob(
  context: Context,
  { payload }: Pick<Required<Job>, 'payload'>,
): Promise<void> {
  const about = payload as Pick<AsyncJob, 'type' | 'resourceId'>;
  const asked = await store.latestJob(context.db, about, 'NEW');
  if (!asked || (await store.latestJob(context.db, about, 'RUNNING'))) return;
  const running: AsyncJob = {
    ...asked,
    id: newUuid(),
    status: 'RUNNING',
    timestamp: context.now,
    revision: 0,
  };
  await store.insertJob(context.db, running);
  const { jobDuration } = await settingsOf(context);
  const finish: Finish = { id: running.id, asked: asked.timestamp };
  await schedule(context.db, {
    dueAt: context.now + jobDuration * SECOND,
    kind: finishKind,
    subject: running.id,
    payload: finish,
  });
}

/** Ends a running job: with success it goes into the log, with all that it was asked for by. */
export async function finishJob(
  context: Context,
  { payload }: Pick<Required<Job>, 'payload'>,
): Promise<void> {
  const { id, asked } = payload as Finish;
  const running = await store.findJob(context.db, id);
  if (running?.status !== 'RUNNING') return;
  if (await fails(context, running)) {
    await store.failJob(context.db, running, asked);
    await store.deleteJobsUntil(context.db, running, asked - 1);
  } else {
    await store.deleteJob(context.db, running);
    await store.deleteJobsUntil(context.db, running, asked);
    await store.insertLog(context.db, { ...running, id: newUuid(), timestamp: asked });
  }
  const next = await store.latestJob(context.db, running, 'NEW');
  if (next && next.timestamp > asked) await scheduleStart(context, running);
}

async function fails(context: Context, { type, resourceId }: AsyncJob): Promise<boolean> {
  if ((await settingsOf(context)).failingJobTypes.includes(type)) return true;
  const podId = resourceOf(type, resourceId)['pod_id'];
  if (podId === undefined || podId === anyPod) return false;
  const pod = await findPod(context.db, podId);
  return !pod || !(await endpointIn(context, pod.regionName, 'network'));
}
