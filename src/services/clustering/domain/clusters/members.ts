// Creates and removes the nodes of a cluster by child actions.
import { attempt } from '../../../../kernel/context.ts';
import { SECOND } from '../../../../kernel/clock.ts';
import { schedule } from '../../../../kernel/jobs/queue.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { Action, ActionData, Cluster, Memory, Node, NodePlacement } from '../../model.ts';
import * as store from '../../store/index.ts';
import { childOf, createChildren } from '../actions/dependencies.ts';
import { actionName, derivedWithHook, lifecycleKind } from '../actions/queue.ts';
import { actingOn } from '../delegation.ts';
import type { StepResult } from '../engine/step.ts';
import { regionFor } from '../nodes/location.ts';
import { newNode, nodeNameFor } from '../nodes/new-node.ts';
import { propertiesOf, typeOfProfile } from '../profiles/index.ts';
import { EngineFailure } from '../refusals.ts';
import { updateCluster } from './status.ts';

/**
 * The placement of each new node: its server group as the affinity policy has decided, its zone and
 * region by the plans of the placement policies.
 */
export function placementsFor({ creation, placement }: ActionData, count: number): NodePlacement[] {
  const expand = (plan: Readonly<Record<string, number>> = {}): string[] =>
    Object.entries(plan).flatMap(([name, many]) => Array.from({ length: many }, () => name));
  const zones = expand(creation?.zones);
  const regions = expand(creation?.regions);
  return Array.from({ length: count }, (_, index) => ({
    ...placement?.placements[index],
    ...(zones[index] === undefined ? {} : { zone: zones[index] }),
    ...(regions[index] === undefined ? {} : { region_name: regions[index] }),
  }));
}

/** Creates nodes by child actions. @param step where the action resumes afterwards */
export async function createNodes(
  context: Context,
  action: Action,
  cluster: Cluster,
  count: number,
  step: string,
): Promise<StepResult> {
  const nodes = placementsFor(action.data, count).map((placement, offset) => {
    const index = cluster.nextIndex + offset;
    return newNode(context.now, cluster, {
      name: nodeNameFor(cluster, index),
      profileId: cluster.profileId,
      clusterId: cluster.id,
      index,
      data: Object.keys(placement).length ? { placement } : {},
    });
  });
  await store.nodes.insertAll(context.db, nodes);
  const memoryFor = nodes.length ? await resolveProfile(context, action, cluster) : undefined;
  await updateCluster(context, cluster.id, { nextIndex: cluster.nextIndex + count });
  const children = nodes.map((node) =>
    childOf(action, node, 'NODE_CREATE', { memory: memoryFor?.(node) ?? {} }),
  );
  await createChildren(context, action, children);
  return { waitFor: 'children', step, remember: { created: nodes.map(({ id }) => id) } };
}

/**
 * Resolves the names in the profile of a cluster once for all of its new nodes in this region. If
 * that fails, and in other regions, each node resolves them itself.
 * @returns the initial memory of a node's action
 */
async function resolveProfile(
  context: Context,
  action: Action,
  cluster: Cluster,
): Promise<((node: Node) => Memory) | undefined> {
  const profile = (await store.profiles.find(context.db, { id: cluster.profileId }))!;
  const { driver } = typeOfProfile(profile);
  const properties = propertiesOf(profile);
  if (!driver.resolveNames) return undefined;
  const tried = await attempt(await actingOn(context, cluster, action), (owner) =>
    driver.resolveNames!(owner, properties),
  );
  if ('error' in tried) return undefined;
  const memory = { create: { known: tried.value } };
  return (node) => (regionFor(context, node, properties) === context.region.name ? memory : {});
}

/**
 * Removes nodes by child actions, which delete them or only take them out of the cluster.
 * @param step where the action resumes afterwards
 */
export async function removeNodes(
  context: Context,
  action: Action,
  cluster: Cluster,
  ids: readonly string[],
  step: string,
  destroy = action.data.deletion?.destroy_after_deletion !== false,
): Promise<StepResult> {
  const kind = destroy ? 'NODE_DELETE' : 'NODE_LEAVE';
  const nodes = await store.nodes.among(context.db, 'id', ids);
  const { hooks } = action.data;
  if (hooks && Object.keys(hooks).length) {
    if (hooks.type !== 'zaqar')
      throw new EngineFailure(
        `Failed in deleting nodes: Lifecycle hook type '${hooks.type}' is not implemented`,
      );
    await removeWithHook(context, action, nodes, kind, hooks.timeout ?? 0);
  } else {
    const stopsFirst = cluster.config['cluster.stop_node_before_delete'] === true;
    const children = nodes.flatMap((node) => {
      const child = childOf(action, node, kind, { name: actionName('NODE_DELETE', node.id) });
      if (!stopsFirst || !node.physicalId) return [child];
      const inputs = { operation: 'stop', update_parent_status: false };
      return [childOf(action, node, 'NODE_OPERATION', { name: child.name, inputs }), child];
    });
    // Each removal waits until its node has stopped.
    await createChildren(
      context,
      action,
      children.map((child, index) =>
        children[index - 1]?.target === child.target ? { ...child, after: index - 1 } : child,
      ),
    );
  }
  return { waitFor: 'children', step };
}

/** Makes active nodes wait for the lifecycle hook, until it times out. */
async function removeWithHook(
  context: Context,
  action: Action,
  nodes: readonly Node[],
  kind: string,
  timeout: number,
): Promise<void> {
  const children = nodes.map((node) => {
    const waits = node.status === 'ACTIVE' && node.physicalId !== null;
    return childOf(action, node, kind, {
      name: actionName('NODE_DELETE', node.id),
      cause: derivedWithHook,
      status: waits ? 'WAITING_LIFECYCLE_COMPLETION' : 'READY',
    });
  });
  const ids = await createChildren(context, action, children);
  const dueAt = (action.startTime ?? context.now) + timeout * SECOND;
  for (const [index, { status }] of children.entries())
    if (status !== 'READY')
      await schedule(context.db, { dueAt, kind: lifecycleKind, subject: ids[index]! });
}

/** Why an action fails whose children have failed. */
export const childFailure = ({ action, id }: Action): string =>
  `${action} [${id.slice(0, 8)}] failed`;
