// The requests of clients that change actions: cancelling them, and completing a lifecycle.
import type { Version } from '../../../../kernel/microversion.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { Action } from '../../model.ts';
import * as store from '../../store/index.ts';
import type { ClusteringVersion } from '../../versions.ts';
import { bad, immutable, notFoundHere } from '../refusals.ts';
import { isMap, textField } from '../requests/fields.ts';
import { readFields, required, unwrap } from '../requests/objects.ts';
import { without } from '../without.ts';
import { recordFailure } from './dependencies.ts';
import { release } from './locks.ts';
import { wake } from './queue.ts';

const cancellable = ['INIT', 'WAITING', 'READY', 'RUNNING', 'WAITING_LIFECYCLE_COMPLETION'];

/**
 * Finds an action by its full id, among those of the actor's project or, for administrators, of all
 * projects. Upstream finds the actions of all projects for everyone (project_safe=False in
 * conductor/service.py), so that anyone could cancel the actions of other projects.
 * @throws 404
 */
async function ownAction({ db, actor }: Context, id: string): Promise<Action> {
  const action = await store.actions.find(db, { id });
  if (!action || (!actor.isAdmin && action.projectId !== actor.projectId))
    throw notFoundHere('action', id);
  return action;
}

/** Cancels an action and the actions that it waits for. @throws 400, 404, 409 */
export async function updateAction(
  context: Context,
  id: string,
  body: unknown,
  force: boolean,
  version: Version<ClusteringVersion>,
): Promise<void> {
  const { status } = readFields(
    { status: required(textField), force: textField },
    withoutForce(unwrap(body, 'action', true)),
    version,
  ) as { status: string };
  const action = await ownAction(context, id);
  if (status !== 'CANCELLED') throw bad(`Unknown status ${status} for action ${id}`);
  if (!cancellable.includes(action.status) || action.endTime !== null)
    throw immutable(id, action.status, cancellable);
  await cancel(context, action, force);
}

const withoutForce = (given: unknown): unknown => (isMap(given) ? without(given, 'force') : given);

/**
 * Cancels an action after its children. An action that has not begun ends at once. One that has
 * begun ends when its children have, or, without children, after its next step; with `force` it
 * ends at once, too.
 */
async function cancel(context: Context, action: Action, force: boolean): Promise<void> {
  const { db, now } = context;
  const children = await store.dependencies.list(db, { where: { dependent: action.id } });
  for (const { depended } of children) {
    const child = await store.actions.find(db, { id: depended });
    if (child && child.endTime === null) await cancel(context, child, force);
  }
  const fresh = (await store.actions.find(db, { id: action.id }))!;
  if (fresh.endTime !== null) return;
  const hasBegun = fresh.memory.step !== undefined;
  if (!hasBegun || force) {
    await keepServer(context, fresh);
    const statusReason = force ? 'Action execution force cancelled' : 'Action execution cancelled';
    await store.changeAction(db, fresh, {
      status: 'CANCELLED',
      statusReason,
      control: 'CANCEL',
      endTime: now,
      memory: {},
    });
    await release(db, fresh.target, fresh.id);
    if (fresh.clusterId) await release(db, fresh.clusterId, fresh.id);
    await store.dependencies.remove(db, { dependent: fresh.id });
    await recordFailure(context, fresh.id, 'CANCEL');
    return;
  }
  const memory = children.length ? { ...fresh.memory, outcome: 'CANCEL' as const } : fresh.memory;
  await store.changeAction(db, fresh, { control: 'CANCEL', memory });
  if (children.length) await wake(context, fresh.id, now);
}

/** Gives the server that is being created to its node, so that both are deleted together. */
async function keepServer({ db }: Context, { action, target, memory }: Action): Promise<void> {
  const physicalId = memory.create?.server;
  if (physicalId === undefined || !['NODE_CREATE', 'NODE_RECOVER'].includes(action)) return;
  await store.nodes.update(db, { id: target }, { physicalId });
}

/**
 * Starts the removal of a node that waits for its lifecycle hook. Does nothing if the node does not
 * wait.
 * @returns the id of the action
 * @throws 400, 404
 */
export async function completeLifecycle(
  context: Context,
  { lifecycle_action_token: given = null }: { readonly lifecycle_action_token?: unknown },
  version: Version<ClusteringVersion>,
): Promise<string> {
  const { lifecycle_action_token: token } = readFields(
    { lifecycle_action_token: required(textField) },
    { lifecycle_action_token: given },
    version,
  ) as { lifecycle_action_token: string };
  const action = await ownAction(context, token);
  if (action.status === 'WAITING_LIFECYCLE_COMPLETION') {
    await store.changeAction(context.db, action, {
      status: 'READY',
      statusReason: 'Lifecycle complete.',
    });
    await wake(context, action.id, context.now);
  }
  return action.id;
}
