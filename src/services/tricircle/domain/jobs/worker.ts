// The worker: takes new jobs up, and ends them. Upstream: tricircle/xjob/xmanager.py and finish_job in tricircle/db/api.py.
//
// What upstream's worker does to the Neutron of pods is not simulated: only what clients see of its jobs. A new job waits, then runs beside
// the row that it was asked for by, and succeeds: then all rows of its type and resource go, and one in the log takes their place, under an
// id of its own. It fails where the pod that it names does not exist, or has no Neutron in the catalog, and where an operator says that
// jobs of the type fail: then it stays as FAIL until somebody does it again. Upstream's worker would do that by itself each minute.
import { SECOND } from '../../../../kernel/clock.ts';
import { newUuid } from '../../../../kernel/ids.ts';
import { schedule } from '../../../../kernel/jobs.ts';
import type { Job, Work } from '../../../../kernel/model.ts';
import { endpointIn } from '../../neighbours/identity.ts';
import * as store from '../../store/async-jobs.ts';
import { findPod } from '../../store/pods.ts';
import type { AsyncJob } from '../records.ts';
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
export async function startJob(work: Work, { payload }: Pick<Required<Job>, 'payload'>): Promise<void> {
  const about = payload as Pick<AsyncJob, 'type' | 'resourceId'>;
  const asked = await store.latestJob(work.db, about, 'NEW');
  if (!asked || (await store.latestJob(work.db, about, 'RUNNING'))) return;
  const running: AsyncJob = { ...asked, id: newUuid(), status: 'RUNNING', timestamp: work.now, revision: 0 };
  await store.insertJob(work.db, running);
  const { jobDuration } = await settingsOf(work);
  const finish: Finish = { id: running.id, asked: asked.timestamp };
  await schedule(work.db, { dueAt: work.now + jobDuration * SECOND, kind: finishKind, subject: running.id, payload: finish });
}

/** Ends a running job: with success it goes into the log, with all that it was asked for by. */
export async function finishJob(work: Work, { payload }: Pick<Required<Job>, 'payload'>): Promise<void> {
  const { id, asked } = payload as Finish;
  const running = await store.findJob(work.db, id);
  if (running?.status !== 'RUNNING') return;
  if (await fails(work, running)) {
    await store.failJob(work.db, running, asked);
    await store.deleteJobsUntil(work.db, running, asked - 1);
  } else {
    await store.deleteJob(work.db, running);
    await store.deleteJobsUntil(work.db, running, asked);
    await store.insertLog(work.db, { ...running, id: newUuid(), timestamp: asked });
  }
  const next = await store.latestJob(work.db, running, 'NEW');
  if (next && next.timestamp > asked) await scheduleStart(work, running);
}

async function fails(work: Work, { type, resourceId }: AsyncJob): Promise<boolean> {
  if ((await settingsOf(work)).failingJobTypes.includes(type)) return true;
  const podId = resourceOf(type, resourceId)['pod_id'];
  if (podId === undefined || podId === anyPod) return false;
  const pod = await findPod(work.db, podId);
  return !pod || !(await endpointIn(work, pod.regionName, 'network'));
}
