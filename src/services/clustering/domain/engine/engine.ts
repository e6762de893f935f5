// The engine: begins an action, goes on with it, and ends it. Each step is a job in a transaction
// of its own.
import { SECOND } from '../../../../kernel/clock.ts';
import { cancel, schedule } from '../../../../kernel/jobs/queue.ts';
import { uuidFor } from '../../../../kernel/ids.ts';
import type { Job, Context } from '../../../../kernel/model.ts';
import { contextWith } from '../../../../kernel/context.ts';
import * as store from '../../store/index.ts';
import type { Action, Cluster, Node } from '../../model.ts';
import {
  derivedWithHook,
  rpc,
  recordFailure,
  recordSuccess,
  timeoutKind,
  wake,
} from '../actions/queue.ts';
import { sendOut } from './remote-tasks.ts';
import { record } from '../actions/events.ts';
import { handlers } from './kinds.ts';
import { acquire, release } from '../actions/locks.ts';
import { checkPolicies } from '../policies/check.ts';
import { attempt, failed, Run, type Ending, type Outcome } from './step.ts';

/** Upstream: lock_retry_times and lock_retry_interval. */
const mostRetries = 3;
const retryAfter = 10 * SECOND;

const isNodeAction = ({ action }: Action): boolean => action.startsWith('NODE_');

/** The cluster or the node that an action is about; undefined where it is gone. */
const subjectOf = ({ db }: Context, action: Action): Promise<Cluster | Node | undefined> =>
  isNodeAction(action)
    ? store.nodes.find(db, { id: action.target })
    : store.clusters.find(db, { id: action.target });

/** The engine of a region, as `services` shows it and actions name their owner. */
export const engineId = ({ region }: Context): string =>
  uuidFor(`clustering.engine.${region.name}`);

/** Does the next step of an action that is due. */
export async function runAction(
  context: Context,
  { subject }: Pick<Job, 'subject'>,
): Promise<void> {
  const action = await store.actions.find(context.db, { id: subject });
  if (!action || action.endTime !== null) return;
  if (action.memory.step !== undefined) return goOn(context, action, action.memory.step);
  if (action.status === 'READY') await begin(context, action);
}

async function begin(context: Context, ready: Action): Promise<void> {
  const found = await subjectOf(context, ready);
  const unlocked = new Run(context, ready);
  if (ready.control === 'CANCEL')
    return end(unlocked, { end: 'CANCEL', reason: 'Action execution cancelled' }, found);
  if (!found)
    return end(
      unlocked,
      failed(
        `The ${isNodeAction(ready) ? 'node' : 'cluster'} '${ready.target}' could not be found.`,
      ),
      found,
    );
  if (!(await lock(context, ready, found))) return retry(context, ready, found);
  const action = await store.changeAction(context.db, ready, {
    status: 'RUNNING',
    statusReason: 'The action is being processed.',
    startTime: context.now,
    owner: engineId(context),
  });
  await record(context, action, found, 'start', action.id.slice(0, 8));
  const run = new Run(context, action);
  await finishStep(run, found, async (inner) => {
    const refusal = await refusalOf(inner, found);
    return refusal === undefined ? handlers[action.action]!.begin(inner) : failed(refusal);
  });
}

/**
 * The policies of the cluster are asked about cluster actions, and about node actions that clients
 * have asked for.
 */
async function refusalOf(run: Run, subject: Cluster | Node): Promise<string | undefined> {
  const { action } = run;
  if (!('clusterId' in subject)) {
    const why = await checkPolicies(run, 'BEFORE', subject.id);
    return why === undefined ? undefined : `Policy check failure: ${why}`;
  }
  if (!subject.clusterId || ![rpc, derivedWithHook].includes(action.cause)) return undefined;
  const why = await checkPolicies(run, 'BEFORE', subject.clusterId);
  return why === undefined || action.cause === derivedWithHook ? undefined : `Policy check: ${why}`;
}

async function goOn(context: Context, action: Action, step: string): Promise<void> {
  const run = new Run(context, action);
  await finishStep(run, await subjectOf(context, action), (inner) =>
    handlers[action.action]![step]!(inner),
  );
}

/** Does a step and what follows from it. An error ends the action and undoes the step. */
async function finishStep(
  run: Run,
  subject: Cluster | Node | undefined,
  step: (run: Run) => Promise<Outcome>,
): Promise<void> {
  const { context, action } = run;
  const before = structuredClone({ data: run.data, memory: run.memory });
  const tried = await attempt(context, async (inner) => {
    const within = new Run(inner, action);
    return step(within);
  });
  if ('value' in tried) return apply(run, subject, tried.value);
  const { error } = tried;
  context.cloud.log.warn({ err: error, action: action.action, id: action.id }, 'an action failed');
  Object.assign(run.data, before.data);
  return apply(run, subject, failed(error.message || 'Action execution failed'));
}

async function apply(
  run: Run,
  subject: Cluster | Node | undefined,
  outcome: Outcome,
): Promise<void> {
  const { context, action } = run;
  if ('end' in outcome) return end(run, outcome, subject);
  const waits = 'waitFor' in outcome && outcome.waitFor === 'children';
  Object.assign(run.memory, { step: outcome.step });
  const isFirst = waits && !run.memory['isTimed'];
  if (isFirst) run.memory['isTimed'] = true;
  const isOver =
    waits && (await store.dependencies.count(context.db, { dependent: action.id })) === 0;
  const status =
    waits && !isOver
      ? { status: 'WAITING', statusReason: 'Waiting for depended actions.' }
      : { status: 'RUNNING' };
  await store.changeAction(context.db, action, { ...status, data: run.data, memory: run.memory });
  if (isFirst) {
    const dueAt = (action.startTime ?? context.now) + action.timeout * SECOND;
    await schedule(context.db, { dueAt, kind: timeoutKind, subject: action.id });
  }
  if ('nextCheckAt' in outcome) await wake(context, action.id, outcome.nextCheckAt);
  else if (outcome.waitFor === 'region') await sendOut(context, action.id);
  else if (isOver) await wake(context, action.id, context.now);
}

/**
 * Ends an action: policies that look afterwards, locks, status, event, and those that wait for it.
 */
async function end(run: Run, given: Ending, subject: Cluster | Node | undefined): Promise<void> {
  const { context, action } = run;
  const cancelled = run.memory.outcome === 'CANCEL';
  const outcome =
    cancelled && given.end !== 'OK'
      ? { end: 'CANCEL' as const, reason: 'Action execution cancelled' }
      : given;
  const after =
    action.startTime === null ? undefined : await checkAfter(run, outcome.end === 'OK', subject);
  const isOk = outcome.end === 'OK' && after === undefined;
  const timedOut =
    run.memory.outcome === 'TIMEOUT'
      ? `${action.action} [${action.id.slice(0, 8)}] timeout`
      : undefined;
  const reason = after ?? timedOut ?? outcome.reason;
  await release(context.db, action.target, action.id);
  if (isNodeAction(action) && action.clusterId)
    await release(context.db, action.clusterId, action.id);
  const status = isOk ? 'SUCCEEDED' : outcome.end === 'CANCEL' ? 'CANCELLED' : 'FAILED';
  const fresh = (await store.actions.find(context.db, { id: action.id }))!;
  await store.changeAction(context.db, fresh, {
    status,
    statusReason: isOk ? 'Action completed successfully.' : reason,
    endTime: context.now,
    owner: null,
    data: run.data,
    memory: {},
  });
  if (run.memory['isTimed']) await cancel(context.db, timeoutKind, action.id);
  await store.dependencies.remove(context.db, { dependent: action.id });
  const told = (await subjectOf(context, action)) ?? subject;
  await record(context, action, told, isOk ? 'end' : 'error', reason);
  if (isOk) await recordSuccess(context, action.id);
  else if (action.inputs['update_parent_status'] === false) await recordSuccess(context, action.id);
  else await recordFailure(context, action.id, status === 'CANCELLED' ? 'CANCEL' : 'ERROR');
}

/** @returns why the action has failed after all */
async function checkAfter(
  run: Run,
  isOk: boolean,
  subject: Cluster | Node | undefined,
): Promise<string | undefined> {
  if (!subject) return undefined;
  const isNode = 'clusterId' in subject;
  if (isNode && (run.action.cause !== rpc || !subject.clusterId)) return undefined;
  const clusterId = isNode ? subject.clusterId : subject.id;
  const { status, reason } = run.data;
  run.memory['isOk'] = isOk;
  const tried = await attempt(run.context, async (inner) => {
    if (!(await store.clusters.find(inner.db, { id: clusterId }))) return undefined;
    return checkPolicies(new Run(contextWith(inner, {}), run.action), 'AFTER', clusterId);
  });
  const why = 'value' in tried ? tried.value : tried.error.message;
  // A check that refused the action before it began is what its data goes on to say.
  if (status === 'ERROR' || (why === undefined && reason))
    Object.assign(run.data, { status, reason });
  return why === undefined || !isOk ? undefined : `Policy check failure: ${why}`;
}

async function lock(context: Context, action: Action, subject: Cluster | Node): Promise<boolean> {
  const { db } = context;
  if (!('clusterId' in subject))
    return acquire(db, subject.id, action.id, {
      exclusive: true,
      steal: action.action === 'CLUSTER_DELETE',
    });
  if (
    action.cause === rpc &&
    subject.clusterId &&
    !(await acquire(db, subject.clusterId, action.id, { exclusive: false }))
  )
    return false;
  const steal = action.action === 'NODE_DELETE' || action.action === 'NODE_OPERATION';
  return acquire(db, subject.id, action.id, { exclusive: true, steal });
}

/** An action that cannot have its lock tries again a few times. */
async function retry(context: Context, action: Action, subject: Cluster | Node): Promise<void> {
  const retries = (action.data.retries ?? 0) + 1;
  if (retries > mostRetries)
    return end(
      new Run(context, action),
      failed(isNodeAction(action) ? 'Failed in locking node' : 'Failed in locking cluster.'),
      subject,
    );
  if (isNodeAction(action) && action.clusterId)
    await release(context.db, action.clusterId, action.id);
  const data = { ...action.data, retries };
  await store.changeAction(context.db, action, { data, statusReason: 'The action was abandoned.' });
  await wake(context, action.id, context.now + retryAfter);
}

/** Ends an action whose children take too long. */
export async function timeOut(context: Context, { subject }: Pick<Job, 'subject'>): Promise<void> {
  const action = await store.actions.find(context.db, { id: subject });
  if (!action || action.endTime !== null || action.memory.step === undefined) return;
  const memory = { ...action.memory, outcome: 'TIMEOUT' as const };
  await goOn(context, await store.changeAction(context.db, action, { memory }), action.memory.step);
}

/** Lets a node that waits for its lifecycle hook go at last. */
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
