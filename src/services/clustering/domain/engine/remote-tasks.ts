// Remote tasks: the calls of drivers in other regions. Each region has its own database, so they
// run outside of the action's transaction.
import { SECOND } from '../../../../kernel/clock.ts';
import { contextWith, inRegionTransaction } from '../../../../kernel/context.ts';
import { isUnreachable } from '../../../../kernel/db/errors.ts';
import { ApiError } from '../../../../kernel/errors.ts';
import { schedule } from '../../../../kernel/jobs/queue.ts';
import { runDueJobsOfOtherRegion } from '../../../../kernel/jobs/due-jobs.ts';
import { endSteadiness } from '../../../../kernel/jobs/periodic.ts';
import type { Context, Job, Region } from '../../../../kernel/model.ts';
import type { Answer, RemoteTask } from '../../model.ts';
import * as store from '../../store/index.ts';
import { purgeRemoteTasks } from '../../store/purge.ts';
import { wake } from '../actions/queue.ts';
import {
  callDriver,
  driverOf,
  type BoundDriver,
  type DriverResult,
} from '../nodes/driver-calls.ts';
import { missingRegion, regionNamed } from '../nodes/regions.ts';
import { EngineFailure } from '../refusals.ts';

export const remoteTaskKind = 'clustering.remote_tasks';

/** Runs the remote tasks of an action as soon as its transaction has ended. */
export const sendRemoteTasks = ({ db, now }: Context, actionId: string): Promise<void> =>
  schedule(db, { dueAt: now, kind: remoteTaskKind, subject: actionId });

/** A remote task with the driver that it calls, as read from the action's region. */
interface PreparedTask {
  readonly task: RemoteTask;
  readonly bound: BoundDriver;
}

/** Results by the ids of the tasks. */
type Results = Map<string, DriverResult>;

/** Runs the remote tasks of an action one at a time, and then resumes the action. */
export async function runRemoteTasks(
  context: Context,
  { subject }: Pick<Job, 'subject'>,
): Promise<void> {
  const results: Results = new Map();
  const prepared = await inRegionTransaction(context, context.region, (inner) =>
    prepare(inner, subject, results),
  );
  for (const one of prepared) results.set(one.task.id, await runTask(context, one));
  await inRegionTransaction(context, context.region, (inner) =>
    saveResults(inner, subject, results),
  );
  const regions = new Set(prepared.map(({ task }) => regionNamed(context, task.region)));
  for (const region of regions)
    if (region) await inRegionTransaction(context, region, purgeOldResults);
}

/**
 * Purges results after an hour. Another process may be about to run a task that this one has run,
 * so the region keeps the result for longer than that can take.
 */
const purgeOldResults = ({ db, now }: Context): Promise<void> =>
  purgeRemoteTasks(db, now - 3600 * SECOND);

const pendingOf = (tasks: Readonly<Record<string, RemoteTask>> = {}): RemoteTask[] =>
  Object.values(tasks).filter(({ answer }) => answer === undefined);

/**
 * Reads the pending tasks of an action. If a task cannot run, its failure goes into the results.
 */
async function prepare(
  context: Context,
  actionId: string,
  results: Results,
): Promise<PreparedTask[]> {
  results.clear();
  const action = await store.actions.find(context.db, { id: actionId });
  const prepared: PreparedTask[] = [];
  if (action?.endTime !== null) return prepared;
  for (const task of pendingOf(action.memory.remoteTasks)) {
    try {
      const node = (await store.nodes.find(context.db, { id: task.nodeId }))!;
      prepared.push({ task, bound: await driverOf(context, node, action, task.memory) });
    } catch (error) {
      // The trust of the owner is no longer valid.
      if (!(error instanceof ApiError || error instanceof EngineFailure)) throw error;
      results.set(task.id, { answer: { failure: error.message }, memory: task.memory });
    }
  }
  return prepared;
}

/** Runs a task in its region. If that has been done before, returns the result from then. */
async function runTask(context: Context, { task, bound }: PreparedTask): Promise<DriverResult> {
  const region = regionNamed(context, task.region);
  if (!region) return { answer: answerForMissingRegion(task), memory: task.memory };
  const { actor } = bound.physical.context;
  return inOtherRegion(contextWith(context, { actor }), region, async (inner) => {
    const earlier = await store.remoteTasks.find(inner.db, { id: task.id });
    if (earlier) return earlier.result;
    const result = await callDriver(bound, task.call, inner);
    await store.remoteTasks.insert(inner.db, { id: task.id, createdAt: inner.now, result });
    return result;
  });
}

/**
 * Runs a function in another region, after its due jobs.
 * @throws Error if the database of that region is unreachable. It does not look like a failure of
 *   this region's own database, which would stop all jobs.
 */
async function inOtherRegion<T>(
  context: Context,
  region: Region,
  run: (context: Context) => Promise<T>,
): Promise<T> {
  try {
    await runDueJobsOfOtherRegion(context, region);
    return await inRegionTransaction(context, region, async (inner) => {
      await endSteadiness(inner.db);
      return run(inner);
    });
  } catch (error) {
    if (isUnreachable(error))
      throw new Error(`The region ${region.name} does not answer.`, { cause: error });
    throw error;
  }
}

/** Physical resources are deleted with their region, and nothing can be created in it any more. */
function answerForMissingRegion({ region, call }: RemoteTask): Answer {
  if (call.method === 'check') return { value: 'gone' };
  if (call.method === 'remove') return { value: { changes: { physicalId: null } } };
  const failure = missingRegion(region);
  return { failure: call.method === 'create' ? `Failed in creating server: ${failure}.` : failure };
}

async function saveResults(context: Context, actionId: string, results: Results): Promise<void> {
  const action = await store.actions.find(context.db, { id: actionId });
  if (!action || action.endTime !== null || !results.size) return;
  const tasks = Object.entries(action.memory.remoteTasks ?? {}).map(
    ([name, task]): [string, RemoteTask] => [name, { ...task, ...results.get(task.id) }],
  );
  await store.changeAction(context.db, action, {
    memory: { ...action.memory, remoteTasks: Object.fromEntries(tasks) },
  });
  await wake(context, actionId, context.now);
}
