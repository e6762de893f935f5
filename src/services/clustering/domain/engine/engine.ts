// The engine begins actions, runs their steps and ends them. Actions that are due at the same time
// share a transaction.
import { SECOND } from '../../../../kernel/clock.ts';
import { attempt, contextWith } from '../../../../kernel/context.ts';
import { newRequestId, uuidFor } from '../../../../kernel/ids.ts';
import { cancel, schedule } from '../../../../kernel/jobs/queue.ts';
import type { Context, Job } from '../../../../kernel/model.ts';
import type { Action, ActionData, Node } from '../../model.ts';
import * as store from '../../store/index.ts';
import { recordFailure, recordSuccesses } from '../actions/dependencies.ts';
import { hasEvents, recordEvent } from '../actions/events.ts';
import { acquire, release } from '../actions/locks.ts';
import {
  derivedWithHook,
  isNodeAction,
  rpc,
  timeoutKind,
  wake,
  wakeAll,
  type DueStep,
} from '../actions/queue.ts';
import { checkPolicies } from '../policies/check.ts';
import { recordChecks, recordFailedAction, type PolicyCheck } from '../policies/explanation.ts';
import { loadSettings } from '../settings.ts';
import { kinds } from './kinds.ts';
import { sendRemoteTasks } from './remote-tasks.ts';
import {
  failed,
  withMemory,
  type Ending,
  type StepResult,
  type Suspension,
  type Target,
} from './step.ts';

const cancelled: Ending = { end: 'CANCEL', reason: 'Action execution cancelled' };

/** @returns undefined if the target no longer exists */
const targetOf = ({ db }: Context, action: Action): Promise<Target | undefined> =>
  isNodeAction(action)
    ? store.nodes.find(db, { id: action.target })
    : store.clusters.find(db, { id: action.target });

/** The id of a region's engine: `GET /services` lists it, and actions name it as their owner. */
export const engineId = ({ region }: Context): string =>
  uuidFor(`clustering.engine.${region.name}`);

/** What is left to do when an action has run: its next step, or the report of its success. */
interface Rest {
  readonly next?: DueStep;
  readonly succeeded?: string;
}

/**
 * Begins actions that are due at the same time, or runs their next steps. They are read together:
 * one that another of them has changed since cannot be written, so that the transaction runs again
 * with a single action. The next steps are scheduled last, so that they follow the jobs of other
 * services that the actions wait for, and those jobs can run together.
 */
export async function runActions(
  context: Context,
  jobs: readonly Pick<Job, 'subject'>[],
): Promise<void> {
  const ids = jobs.map(({ subject }) => subject);
  const found = await store.actions.among(context.db, 'id', ids);
  const actions = new Map(found.map((action) => [action.id, action]));
  const nodes = await nodesOf(context, found);
  const rests: Rest[] = [];
  for (const id of ids) {
    const action = actions.get(id);
    const own = contextWith(context, { requestId: newRequestId() });
    if (action) rests.push(await runAction(own, action, nodes.get(action.target)));
  }
  await finishAll(context, rests);
}

/**
 * Reads the nodes that actions are about, by id. Returns none if one of the actions could change
 * the node of another: the node has to be read when its turn comes.
 */
async function nodesOf({ db }: Context, actions: readonly Action[]): Promise<Map<string, Node>> {
  const ids = new Set(actions.filter(isNodeAction).map(({ target }) => target));
  if (ids.size < actions.length) return new Map();
  return new Map((await store.nodes.among(db, 'id', ids)).map((node) => [node.id, node]));
}

/** Reports the successes to the actions that wait for them, and schedules the next steps. */
async function finishAll(context: Context, rests: readonly Rest[]): Promise<void> {
  await recordSuccesses(
    context,
    rests.flatMap(({ succeeded = [] }) => succeeded),
  );
  await wakeAll(
    context,
    rests.flatMap(({ next }) => (next ? [next] : [])),
  );
}

async function runAction(context: Context, action: Action, node: Node | undefined): Promise<Rest> {
  if (action.endTime !== null) return {};
  const target = node ?? (await targetOf(context, action));
  if (action.memory.step !== undefined) return advance(context, action, target);
  return action.status === 'READY' ? begin(context, action, target) : {};
}

async function begin(context: Context, ready: Action, target: Target | undefined): Promise<Rest> {
  if (ready.control === 'CANCEL') return end(context, ready, cancelled, target);
  if (!target) {
    const noun = isNodeAction(ready) ? 'node' : 'cluster';
    return end(
      context,
      ready,
      failed(`The ${noun} '${ready.target}' could not be found.`),
      undefined,
    );
  }
  if (!(await lockTarget(context, ready, target))) return retryLater(context, ready, target);
  // It is written with the result of its first step.
  const action: Action = {
    ...ready,
    status: 'RUNNING',
    statusReason: 'The action is being processed.',
    startTime: context.now,
    owner: engineId(context),
  };
  await recordEvent(context, action, target, 'start', action.id.slice(0, 8));
  return advance(context, action, target);
}

/**
 * Runs the next step of an action and saves the result. Policies are checked before the first step.
 * An error undoes the step and the check, and ends the action; the decisions of the policies stay
 * in its data.
 */
async function advance(
  context: Context,
  action: Action,
  target: Target | undefined,
): Promise<Rest> {
  const { step } = action.memory;
  let { data } = action;
  const checks: PolicyCheck[] = [];
  const tried = await attempt(context, async (inner): Promise<Progress> => {
    if (step === undefined) {
      const save = (decided: ActionData): void => void (data = decided);
      const problem = await checkBefore(inner, action, target!, save, checks);
      recordChecks(context, action, target!, checks, problem);
      if (problem !== undefined) return { action, result: failed(problem) };
    }
    // The policies may have changed the target.
    const current = checks.length ? await targetOf(inner, action) : target;
    return runStep(inner, { ...action, data }, step ?? 'begin', current);
  });
  if ('value' in tried) {
    const { action: next, result } = tried.value;
    return save(context, { ...next, data }, result, target);
  }
  const { error } = tried;
  context.cloud.log.warn({ err: error, action: action.action, id: action.id }, 'an action failed');
  const ending = failed(error.message || 'Action execution failed');
  return end(context, { ...action, data }, ending, target);
}

/** An action with its new memory, and how it goes on. */
interface Progress {
  readonly action: Action;
  readonly result: Ending | Suspension;
}

/** Runs a step, and the steps that follow it without a wait. */
async function runStep(
  context: Context,
  action: Action,
  step: string,
  target: Target | undefined,
): Promise<Progress> {
  const run = kinds[action.action]![step]!;
  const result: StepResult = await run(context, action, target as never);
  const next = withMemory(action, result.remember);
  if (!('next' in result)) return { action: next, result };
  if (result.wait <= 0) {
    const changed = result.target ?? (await targetOf(context, action));
    return runStep(context, next, result.next, changed);
  }
  return { action: next, result: { resumeAt: context.now + result.wait, step: result.next } };
}

async function save(
  context: Context,
  action: Action,
  result: Ending | Suspension,
  target: Target | undefined,
): Promise<Rest> {
  if ('end' in result) return end(context, action, result, target);
  const { db, now } = context;
  const waitsForChildren = 'waitFor' in result && result.waitFor === 'children';
  const isFirstWait = waitsForChildren && !action.memory.isTimed;
  const hasNoChildren =
    waitsForChildren && !(await store.dependencies.exists(db, { dependent: action.id }));
  const status: Partial<Action> =
    waitsForChildren && !hasNoChildren
      ? { status: 'WAITING', statusReason: 'Waiting for depended actions.' }
      : { status: 'RUNNING', statusReason: action.statusReason };
  const { step } = result;
  const memory = { ...action.memory, step, ...(isFirstWait ? { isTimed: true } : {}) };
  const { startTime, owner, data } = action;
  await store.changeAction(db, action, { ...status, startTime, owner, data, memory });
  if (isFirstWait) {
    const dueAt = (action.startTime ?? now) + action.timeout * SECOND;
    await schedule(db, { dueAt, kind: timeoutKind, subject: action.id });
  }
  if ('resumeAt' in result) return { next: [action.id, result.resumeAt] };
  if (result.waitFor === 'remote tasks') await sendRemoteTasks(context, action.id);
  return hasNoChildren ? { next: [action.id, now] } : {};
}

/**
 * Ends an action: checks the policies that follow it, releases its locks, writes its status and an
 * event, and informs the actions that wait for it.
 */
async function end(
  context: Context,
  action: Action,
  given: Ending,
  target: Target | undefined,
): Promise<Rest> {
  const { db, now } = context;
  const { outcome, isTimed } = action.memory;
  const ending = outcome === 'CANCEL' && given.end !== 'OK' ? cancelled : given;
  const { data, problem } =
    action.startTime === null
      ? { data: action.data }
      : await checkAfter(context, action, ending.end === 'OK', target);
  const isOk = ending.end === 'OK' && problem === undefined;
  if (ending.end !== 'OK' && ending.end !== 'CANCEL' && data.status !== 'ERROR')
    recordFailedAction(context, action, target, ending.reason);
  const timedOut =
    outcome === 'TIMEOUT' ? `${action.action} [${action.id.slice(0, 8)}] timeout` : undefined;
  const reason = problem ?? timedOut ?? ending.reason;
  await release(db, action.target, action.id);
  if (sharesCluster(action)) await release(db, action.clusterId, action.id);
  const status = isOk ? 'SUCCEEDED' : ending.end === 'CANCEL' ? 'CANCELLED' : 'FAILED';
  const ended = await store.changeAction(db, action, {
    status,
    statusReason: isOk ? 'Action completed successfully.' : reason,
    startTime: action.startTime,
    endTime: now,
    owner: null,
    data,
    memory: {},
  });
  if (isTimed) await cancel(db, timeoutKind, action.id);
  // An action that has begun and never waited for others has no dependencies left.
  if (isTimed || action.startTime === null)
    await store.dependencies.remove(db, { dependent: action.id });
  if (hasEvents(action)) {
    const subject = (await targetOf(context, action)) ?? target;
    await recordEvent(context, ended, subject, isOk ? 'end' : 'error', reason);
  }
  if (isOk || action.inputs['update_parent_status'] === false) return { succeeded: action.id };
  await recordFailure(context, action.id, status === 'CANCELLED' ? 'CANCEL' : 'ERROR');
  return {};
}

/**
 * Checks cluster actions, and the node actions that clients have requested, before they begin.
 * @param save receives the data of the action after each decision
 * @returns why the action must not begin
 */
async function checkBefore(
  context: Context,
  action: Action,
  target: Target,
  save: (data: ActionData) => void,
  checks: PolicyCheck[],
): Promise<string | undefined> {
  if (!('clusterId' in target)) {
    const check = { phase: 'BEFORE', clusterId: target.id, checks } as const;
    const problem = await checkPolicies(context, action, check, save);
    return problem === undefined ? undefined : `Policy check failure: ${problem}`;
  }
  const { clusterId } = target;
  if (!clusterId || ![rpc, derivedWithHook].includes(action.cause)) return undefined;
  const check = { phase: 'BEFORE', clusterId, checks } as const;
  const problem = await checkPolicies(context, action, check, save);
  return problem === undefined || action.cause === derivedWithHook
    ? undefined
    : `Policy check: ${problem}`;
}

/** @returns the new data, and why an action that has succeeded so far fails after all */
async function checkAfter(
  context: Context,
  action: Action,
  isOk: boolean,
  target: Target | undefined,
): Promise<{ readonly data: ActionData; readonly problem?: string | undefined }> {
  let { data } = action;
  if (!target) return { data };
  const checks: PolicyCheck[] = [];
  const isNode = 'clusterId' in target;
  if (isNode && (action.cause !== rpc || !target.clusterId)) return { data };
  const clusterId = isNode ? target.clusterId : target.id;
  const tried = await attempt(context, async (inner) => {
    if (!(await store.clusters.exists(inner.db, { id: clusterId }))) return undefined;
    const check = { phase: 'AFTER', clusterId, isOk, checks } as const;
    return checkPolicies(contextWith(inner, {}), action, check, (decided) => (data = decided));
  });
  const problem = 'value' in tried ? tried.value : tried.error.message;
  if (problem !== undefined && isOk) recordChecks(context, action, target, checks, problem);
  // A check that refused the action before it began, and the reason that the last policy gave,
  // stay in the data.
  const { status, reason } = action.data;
  if (status !== undefined && reason !== undefined)
    if (status === 'ERROR' || (problem === undefined && reason)) data = { ...data, status, reason };
  return problem === undefined || !isOk
    ? { data }
    : { data, problem: `Policy check failure: ${problem}` };
}

/** Whether the action shares the lock of its node's cluster, which no cluster action holds then. */
const sharesCluster = (action: Action): boolean =>
  isNodeAction(action) && action.cause === rpc && action.clusterId !== '';

/** @returns whether the action holds all of its locks now */
async function lockTarget(context: Context, action: Action, target: Target): Promise<boolean> {
  const { db } = context;
  if (!('clusterId' in target))
    return acquire(db, target.id, action.id, {
      exclusive: true,
      steal: action.action === 'CLUSTER_DELETE',
    });
  if (
    action.cause === rpc &&
    target.clusterId &&
    !(await acquire(db, target.clusterId, action.id, { exclusive: false }))
  )
    return false;
  const steal = action.action === 'NODE_DELETE' || action.action === 'NODE_OPERATION';
  return acquire(db, target.id, action.id, { exclusive: true, steal });
}

/** Retries an action that could not lock its target; fails it after a few attempts. */
async function retryLater(context: Context, action: Action, target: Target): Promise<Rest> {
  const retries = (action.data.retries ?? 0) + 1;
  const { lockRetryTimes, lockRetryInterval } = await loadSettings(context);
  if (retries > lockRetryTimes) {
    const reason = isNodeAction(action) ? 'Failed in locking node' : 'Failed in locking cluster.';
    return end(context, action, failed(reason), target);
  }
  if (sharesCluster(action)) await release(context.db, action.clusterId, action.id);
  const data = { ...action.data, retries };
  await store.changeAction(context.db, action, { data, statusReason: 'The action was abandoned.' });
  return { next: [action.id, context.now + lockRetryInterval * SECOND] };
}

/** Ends an action whose children have not finished in time. */
export async function timeOut(context: Context, { subject }: Pick<Job, 'subject'>): Promise<void> {
  const action = await store.actions.find(context.db, { id: subject });
  if (!action || action.endTime !== null || action.memory.step === undefined) return;
  const memory = { ...action.memory, outcome: 'TIMEOUT' as const };
  const timedOut = await store.changeAction(context.db, action, { memory });
  await finishAll(context, [await advance(context, timedOut, await targetOf(context, timedOut))]);
}

/** Starts the removal of a node when its lifecycle hook has timed out. */
export async function endLifecycle(
  context: Context,
  { subject }: Pick<Job, 'subject'>,
): Promise<void> {
  const action = await store.actions.find(context.db, { id: subject });
  if (action?.status !== 'WAITING_LIFECYCLE_COMPLETION') return;
  await store.changeAction(context.db, action, {
    status: 'READY',
    statusReason: 'Lifecycle complete.',
  });
  await wake(context, action.id, context.now);
}
