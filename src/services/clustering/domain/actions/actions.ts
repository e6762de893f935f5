// What clients may do with actions: cancel them, and complete a lifecycle.
import type { Context } from '../../../../kernel/model.ts';
import * as store from '../../store/index.ts';
import { recordFailure, wake } from './queue.ts';
import { release } from './locks.ts';
import type { Action, Json } from '../../model.ts';
import { bad, immutable, notFoundHere } from '../refusals.ts';
import { isMap, textField } from '../requests/fields.ts';
import { without } from '../without.ts';
import { readFields, required, unwrap } from '../requests/objects.ts';
import type { Version } from '../../../../kernel/microversion.ts';
import type { ClusteringVersion } from '../../versions.ts';

const cancellable = ['INIT', 'WAITING', 'READY', 'RUNNING', 'WAITING_LIFECYCLE_COMPLETION'];

/**
 * The action of this very id, where it is the actor's project's, or the actor an administrator.
 * Upstream finds those of all projects (project_safe=False in conductor/service.py): anyone could
 * cancel what another project does.
 * @throws 404
 */
async function ownAction({ db, actor }: Context, id: string): Promise<Action> {
  const action = await store.actions.find(db, { id });
  if (!action || (!actor.isAdmin && action.projectId !== actor.projectId))
    throw notFoundHere('action', id);
  return action;
}

/** Cancels an action and all that it waits for. @throws 400, 404, 409 */
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
 * What has not begun ends; what waits for children ends with them; what is in the midst of
 * something ends only by force.
 */
async function cancel(context: Context, action: Action, force: boolean): Promise<void> {
  const { db, now } = context;
  const children = await store.dependencies.all(db, { dependent: action.id }, 'depended');
  for (const { depended } of children) {
    const child = await store.actions.find(db, { id: depended });
    if (child && child.endTime === null) await cancel(context, child, force);
  }
  const fresh = (await store.actions.find(db, { id: action.id }))!;
  if (fresh.endTime !== null) return;
  const isIdle = fresh.memory.step === undefined;
  if (isIdle || force) {
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

/** A server that is being made for the node stays the node's, so that it goes with it. */
async function keepServer({ db }: Context, { action, target, memory }: Action): Promise<void> {
  const server = (memory['create'] as Json | undefined)?.['server'] as string | undefined;
  if (server === undefined || !['NODE_CREATE', 'NODE_RECOVER'].includes(action)) return;
  await store.nodes.update(db, { id: target }, { physicalId: server });
}

/**
 * Lets a node go that waits for its lifecycle hook; where it does not wait, nothing happens.
 * @throws 404
 */
export async function completeLifecycle(
  context: Context,
  given: unknown,
  version: Version<ClusteringVersion>,
): Promise<string> {
  const fields = { lifecycle_action_token: required(textField) };
  const { lifecycle_action_token: token } = readFields(
    fields,
    { lifecycle_action_token: (given as Json)['lifecycle_action_token'] ?? null },
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
