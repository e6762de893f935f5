// Errands: what drivers do for an action in other regions, each of which has a database of its own.
// They are done outside of the action's transaction.
import { isUnreachable } from '../../../../kernel/db/errors.ts';
import { ApiError } from '../../../../kernel/errors.ts';
import { SECOND } from '../../../../kernel/clock.ts';
import { schedule } from '../../../../kernel/jobs/queue.ts';
import type { Actor, Job, Region, Context } from '../../../../kernel/model.ts';
import { runDueJobsOfOtherRegion } from '../../../../kernel/jobs/runner.ts';
import { inRegionTransaction, contextWith } from '../../../../kernel/context.ts';
import * as store from '../../store/index.ts';
import { purgeRemoteTasks } from '../../store/purge.ts';
import type { Answer, RemoteTask, Json } from '../../model.ts';
import { EngineFailure } from '../refusals.ts';
import { regionNamed, withoutRegion } from '../nodes/regions.ts';
import { wake } from '../actions/queue.ts';
import { callDriver, driveableOf, type Driveable } from '../nodes/driver-calls.ts';

export const remoteTaskKind = 'clustering.remote_tasks';

/** Does the errands of an action as soon as its transaction is over. */
export const sendOut = ({ db, now }: Context, actionId: string): Promise<void> =>
  schedule(db, { dueAt: now, kind: remoteTaskKind, subject: actionId });

/** An errand with all that it needs of its own region. */
interface Sent {
  readonly remoteTask: RemoteTask;
  readonly driveable: Driveable;
  readonly actor: Actor;
}

interface Result {
  readonly answer: Answer;
  readonly memory: Json;
}

/**
 * Does the errands of an action, one after the other, and goes on with it. One that has been done
 * is not done again.
 */
export async function runRemoteTasks(
  context: Context,
  { subject }: Pick<Job, 'subject'>,
): Promise<void> {
  const results = new Map<string, Result>();
  const sent = await inRegionTransaction(context, context.region, (inner) =>
    prepare(inner, subject, results),
  );
  for (const one of sent) results.set(one.remoteTask.id, await carryOut(context, one));
  await inRegionTransaction(context, context.region, (inner) => takeBack(inner, subject, results));
  const regions = new Set(sent.map(({ remoteTask }) => regionNamed(context, remoteTask.region)));
  for (const region of regions) if (region) await inRegionTransaction(context, region, forget);
}

/**
 * Another process may be about to do an errand that this one has done: the region remembers it for
 * longer than that can take.
 */
const forget = ({ db, now }: Context): Promise<void> => purgeRemoteTasks(db, now - 3600 * SECOND);

const pendingOf = (remoteTasks: Readonly<Record<string, RemoteTask>> = {}): RemoteTask[] =>
  Object.values(remoteTasks).filter(({ answer }) => answer === undefined);

/** Reads the errands that are to be done. Those that cannot be have their result here. */
async function prepare(
  context: Context,
  actionId: string,
  results: Map<string, Result>,
): Promise<Sent[]> {
  results.clear();
  const action = await store.actions.find(context.db, { id: actionId });
  const sent: Sent[] = [];
  for (const remoteTask of action?.endTime === null ? pendingOf(action.memory.remoteTasks) : []) {
    try {
      const node = (await store.nodes.find(context.db, { id: remoteTask.nodeId }))!;
      const driveable = await driveableOf(context, node, remoteTask.memory);
      sent.push({ remoteTask, driveable, actor: driveable.physical.context.actor });
    } catch (error) {
      // The owner's trust does not hold any more.
      if (!(error instanceof ApiError || error instanceof EngineFailure)) throw error;
      results.set(remoteTask.id, { answer: { failure: error.message }, memory: remoteTask.memory });
    }
  }
  return sent;
}

async function carryOut(context: Context, { remoteTask, driveable, actor }: Sent): Promise<Result> {
  const region = regionNamed(context, remoteTask.region);
  if (!region) return { answer: answerWithout(remoteTask), memory: remoteTask.memory };
  return inOther(contextWith(context, { actor }), region, async (inner) => {
    const known = await store.remoteTasks.find(inner.db, { id: remoteTask.id });
    if (known) return known.result as Result;
    const memory = structuredClone(remoteTask.memory);
    const answer = await callDriver(
      { ...driveable, physical: { ...driveable.physical, memory } },
      remoteTask.call,
      inner,
    );
    await store.remoteTasks.insert(inner.db, {
      id: remoteTask.id,
      createdAt: inner.now,
      result: { answer, memory },
    });
    return { answer, memory };
  });
}

/**
 * Works in another region, after what is due there. That its database does not answer is no reason
 * for this one not to.
 */
async function inOther<T>(
  context: Context,
  region: Region,
  run: (context: Context) => Promise<T>,
): Promise<T> {
  try {
    await runDueJobsOfOtherRegion(context, region);
    return await inRegionTransaction(context, region, run);
  } catch (error) {
    if (isUnreachable(error))
      throw new Error(`The region ${region.name} does not answer.`, { cause: error });
    throw error;
  }
}

/** What was in a region that is gone is gone with it; nothing can be made there. */
function answerWithout({ region, call }: RemoteTask): Answer {
  if (call.method === 'check') return { value: 'gone' };
  if (call.method === 'remove') return { value: { changes: { physicalId: null } } };
  const failure = withoutRegion(region);
  return { failure: call.method === 'create' ? `Failed in creating server: ${failure}.` : failure };
}

async function takeBack(
  context: Context,
  actionId: string,
  results: ReadonlyMap<string, Result>,
): Promise<void> {
  const action = await store.actions.find(context.db, { id: actionId });
  if (!action || action.endTime !== null || !results.size) return;
  const remoteTasks = Object.entries(action.memory.remoteTasks ?? {}).map(
    ([name, remoteTask]): [string, RemoteTask] => [
      name,
      { ...remoteTask, ...results.get(remoteTask.id) },
    ],
  );
  await store.changeAction(context.db, action, {
    memory: { ...action.memory, remoteTasks: Object.fromEntries(remoteTasks) },
  });
  await wake(context, actionId, context.now);
}
