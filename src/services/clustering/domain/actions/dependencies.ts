// Dependencies between actions: a parent action waits for its children, and a child may wait for
// another one.
import type { Context } from '../../../../kernel/model.ts';
import type { Action } from '../../model.ts';
import * as store from '../../store/index.ts';
import { actionName, createActions, derived, wake, type NewAction } from './queue.ts';

/** A child action. `after` is the index of another child that it waits for. */
export interface NewChild extends NewAction {
  readonly after?: number;
}

/** A child action on a node, for the owner of its parent. */
export function childOf(
  { userId, projectId, domainId, credentialId }: Action,
  node: { readonly id: string; readonly clusterId: string },
  kind: string,
  fields: Partial<NewAction> = {},
): NewAction {
  return {
    name: actionName(kind, node.id),
    action: kind,
    target: node.id,
    clusterId: node.clusterId,
    owner: { userId, projectId, domainId, credentialId },
    inputs: {},
    cause: derived,
    ...fields,
  };
}

/** Creates the children of an action, which waits for all of them. @returns their ids */
export async function createChildren(
  context: Context,
  parent: Action,
  children: readonly NewChild[],
): Promise<string[]> {
  const created = await createActions(
    context,
    children.map(({ after, ...child }) => ({
      ...child,
      status: after === undefined ? (child.status ?? 'READY') : 'WAITING',
    })),
  );
  const ids = created.map(({ id }) => id);
  const dependencies = children.flatMap(({ after }, index) => [
    { depended: ids[index]!, dependent: parent.id },
    ...(after === undefined ? [] : [{ depended: ids[after]!, dependent: ids[index]! }]),
  ]);
  await store.dependencies.insertAll(context.db, dependencies);
  return ids;
}

const dependentsOf = async ({ db }: Context, id: string): Promise<string[]> =>
  (await store.dependencies.list(db, { where: { depended: id } })).map(
    ({ dependent }) => dependent,
  );

/**
 * Removes the dependencies on actions that have succeeded, and wakes the actions that have none
 * left.
 */
export async function recordSuccesses(context: Context, ids: readonly string[]): Promise<void> {
  const { db, now } = context;
  const removed = await store.dependencies.among(db, 'depended', ids);
  if (!removed.length) return;
  await store.dependencies.remove(db, { depended: ids });
  for (const dependent of new Set(removed.map((one) => one.dependent))) {
    if (await store.dependencies.exists(db, { dependent })) continue;
    const waiting = await store.actions.find(db, { id: dependent });
    if (waiting?.status !== 'WAITING') continue;
    await store.changeAction(db, waiting, {
      status: 'READY',
      statusReason: 'All depended actions completed.',
    });
    await wake(context, dependent, now);
  }
}

/** Fails or cancels the actions that wait for an action that has failed or was cancelled. */
export async function recordFailure(
  context: Context,
  id: string,
  outcome: 'ERROR' | 'CANCEL',
): Promise<void> {
  const { db, now } = context;
  const dependents = await dependentsOf(context, id);
  await store.dependencies.remove(db, { depended: id });
  const status = ({ ERROR: 'FAILED', CANCEL: 'CANCELLED' } as const)[outcome];
  const statusReason = {
    ERROR: 'Action execution failed',
    CANCEL: 'Action execution cancelled',
  }[outcome];
  for (const dependent of dependents) {
    const parent = await store.actions.find(db, { id: dependent });
    if (!parent || parent.endTime !== null || parent.memory.outcome) continue;
    const fields = { status, statusReason, memory: { ...parent.memory, outcome } };
    if (parent.memory.step !== undefined) {
      await store.changeAction(db, parent, fields);
      await wake(context, dependent, now);
    } else {
      // An action that has not begun ends here.
      await store.changeAction(db, parent, { ...fields, endTime: now });
      await recordFailure(context, dependent, outcome);
    }
  }
}
