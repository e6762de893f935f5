// Records the work that Tricircle does in pods on its own as asynchronous jobs, so that the API of
// jobs shows it, and redoes what failed.
import { writeInCentral } from '../../../../kernel/context.ts';
import { newUuid } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import * as store from '../../store/async-jobs.ts';
import { findJobType } from './types.ts';

/** What a job does. */
export interface JobTask {
  readonly type: string;
  readonly projectId: string;
  readonly resource: Readonly<Record<string, string>>;
}

/** Records a job that has ended: in the log if it succeeded, else with the status FAIL. */
export const recordOutcome = (
  context: Context,
  { type, projectId, resource }: JobTask,
  isDone: boolean,
): Promise<void> =>
  writeInCentral(context, async ({ db, now }) => {
    const keys = findJobType(type)!.keys;
    const resourceId = JSON.stringify(keys.map((key) => resource[key]!));
    const job = { id: newUuid(), projectId, type, resourceId, timestamp: now };
    await store.deleteFailedJobs(db, job);
    if (isDone) await store.insertLog(db, job);
    else await store.insertJob(db, { ...job, status: 'FAIL', revision: 0 });
  });
