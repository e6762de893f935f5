// Actions as rows: they are made, refused where others are in the way, depend on each other, and
// are put on the agenda.
import { SECOND, type Micros } from '../../../../kernel/clock.ts';
import { newUuid } from '../../../../kernel/ids.ts';
import { schedule } from '../../../../kernel/jobs/queue.ts';
import type { Context } from '../../../../kernel/model.ts';
import * as store from '../../store/index.ts';
import { cooldownOf } from '../policies/scaling.ts';
import { policyProperties } from '../policies/index.ts';
import type { Action, Json, Owner } from '../../model.ts';
import { actionConflict, coolingDown, locked } from '../refusals.ts';

export const actionKind = 'clustering.action';
export const timeoutKind = 'clustering.action_timeout';
export const lifecycleKind = 'clustering.lifecycle_timeout';

/** Upstream: default_action_timeout; seconds. */
export const defaultTimeout = 3600;

export const rpc = 'RPC Request';
export const derived = 'Derived Action';
export const derivedWithHook = 'Derived Action with Lifecycle Hook';

export interface NewAction {
  readonly name: string;
  readonly action: string;
  readonly target: string;
  readonly clusterId: string;
  readonly owner: Owner;
  readonly inputs: Json;
  readonly timeout?: number;
  readonly cause?: string;
  /** What it knows before it begins. */
  readonly memory?: Json;
  /** READY, where it may begin at once. */
  readonly status?: string;
}

/** `cluster_create_` and the beginning of the target's id. */
export const actionName = (action: string, target: string): string =>
  `${action.toLowerCase()}_${target.slice(0, 8)}`;

/** Writes an action down, and begins it as soon as it is ready. */
export async function createAction(context: Context, wanted: NewAction): Promise<Action> {
  const { now, db } = context;
  const {
    owner,
    cause = rpc,
    status = 'READY',
    timeout = defaultTimeout,
    name,
    action: kind,
    target,
    clusterId,
    inputs,
    memory = {},
  } = wanted;
  const { userId, projectId, domainId } = owner;
  const action: Action = {
    id: newUuid(),
    action: kind,
    target,
    clusterId,
    inputs,
    userId,
    projectId,
    domainId,
    name: name.slice(0, 63),
    cause,
    status,
    timeout,
    statusReason: 'The action is ready for execution.',
    owner: null,
    startTime: null,
    endTime: null,
    control: null,
    outputs: {},
    data: {},
    memory,
    createdAt: now,
    updatedAt: null,
    revision: 0,
  };
  await store.actions.insert(db, action);
  if (status === 'READY') await wake(context, action.id, now);
  return action;
}

/** Goes on with an action at a time. */
export const wake = ({ db }: Context, id: string, dueAt: Micros): Promise<void> =>
  schedule(db, { dueAt, kind: actionKind, subject: id });

const scalings = ['CLUSTER_SCALE_IN', 'CLUSTER_SCALE_OUT'];
const steals = new Set(['NODE_DELETE', 'NODE_OPERATION']);

/**
 * Refuses an action where its target is locked, has other actions going on, or has scaled too
 * shortly before. Upstream: Action.create in senlin/engine/actions/base.py.
 * @throws 409
 */
export async function refuseConflicts(
  context: Context,
  action: string,
  target: string,
  isCluster: boolean,
  force = false,
): Promise<void> {
  const { db } = context;
  if (!force && action !== 'CLUSTER_DELETE' && !steals.has(action)) {
    if (await store.locks.find(db, { target }))
      throw locked(action, isCluster ? 'cluster' : 'node', target);
    const others = await store.unfinishedOn(db, target);
    if (others.length)
      throw actionConflict(
        action,
        target,
        others.map(({ id }) => id),
      );
  }
  if (!scalings.includes(action)) return;
  const scaling = await store.unfinishedOn(db, target, scalings);
  if (scaling.length)
    throw actionConflict(
      action,
      target,
      scaling.map(({ id }) => id),
    );
  await refuseTooSoon(context, action, target);
}

/** @throws 409 */
async function refuseTooSoon(
  { db, now }: Context,
  action: string,
  clusterId: string,
): Promise<void> {
  for (const { policyId, lastOp } of await store.enabledBindings(db, clusterId)) {
    if (lastOp === null) continue;
    const policy = (await store.policies.find(db, { id: policyId }))!;
    const cooldown = cooldownOf(policy.type, policyProperties(policy), action);
    if (cooldown > 0 && now - lastOp < cooldown * SECOND)
      throw coolingDown(action, clusterId, policyId);
  }
}

/**
 * Makes children of an action, which waits for all of them. `after` is the place of another child
 * that comes first.
 */
export async function spawn(
  context: Context,
  parent: Action,
  children: readonly (NewAction & { readonly after?: number })[],
): Promise<string[]> {
  const ids: string[] = [];
  for (const { after, ...child } of children) {
    const status = after === undefined ? (child.status ?? 'READY') : 'WAITING';
    const { id } = await createAction(context, { cause: derived, ...child, status });
    ids.push(id);
    await store.dependencies.insert(context.db, { depended: id, dependent: parent.id });
    if (after !== undefined)
      await store.dependencies.insert(context.db, { depended: ids[after]!, dependent: id });
  }
  return ids;
}

/** Tells those that wait for an action that it has succeeded. */
export async function recordSuccess(context: Context, id: string): Promise<void> {
  for (const { dependent } of await store.dependencies.all(
    context.db,
    { depended: id },
    'dependent',
  )) {
    await store.dependencies.remove(context.db, { depended: id, dependent });
    if (await store.dependencies.count(context.db, { dependent })) continue;
    const waiting = await store.actions.find(context.db, { id: dependent });
    if (waiting?.status !== 'WAITING') continue;
    await store.changeAction(context.db, waiting, {
      status: 'READY',
      statusReason: 'All depended actions completed.',
    });
    await wake(context, dependent, context.now);
  }
}

/** Tells those that wait for an action that it has failed or was cancelled: so have they. */
export async function recordFailure(
  context: Context,
  id: string,
  outcome: 'ERROR' | 'CANCEL',
): Promise<void> {
  const waiting = await store.dependencies.all(context.db, { depended: id }, 'dependent');
  await store.dependencies.remove(context.db, { depended: id });
  for (const { dependent } of waiting) {
    const parent = await store.actions.find(context.db, { id: dependent });
    if (!parent || parent.endTime !== null || parent.memory.outcome) continue;
    const words = { ERROR: 'Action execution failed', CANCEL: 'Action execution cancelled' };
    const status = { ERROR: 'FAILED', CANCEL: 'CANCELLED' }[outcome];
    const memory = { ...parent.memory, outcome };
    if (parent.memory.step !== undefined) {
      await store.changeAction(context.db, parent, {
        status,
        statusReason: words[outcome],
        memory,
      });
      await wake(context, dependent, context.now);
      continue;
    }
    // One that has not begun ends here.
    await store.changeAction(context.db, parent, {
      status,
      statusReason: words[outcome],
      memory,
      endTime: context.now,
    });
    await recordFailure(context, dependent, outcome);
  }
}
