// The nodes of a cluster as actions make them, delete them, and choose among them.
import { SECOND } from '../../../../kernel/clock.ts';
import { newHexId, newUuid } from '../../../../kernel/ids.ts';
import { schedule } from '../../../../kernel/jobs/queue.ts';
import type { Context } from '../../../../kernel/model.ts';
import * as store from '../../store/index.ts';
import type { ActionData, Cluster, Json, Node, NodePlacement, Owner } from '../../model.ts';
import { regionFor } from '../nodes/location.ts';
import {
  actionName,
  derived,
  derivedWithHook,
  lifecycleKind,
  spawn,
  type NewAction,
} from '../actions/queue.ts';
import { EngineFailure } from '../refusals.ts';
import { attempt, type Outcome, type Run } from '../engine/step.ts';
import { propertiesOf, typeOfProfile } from '../profiles/index.ts';
import { writeCluster, writeNode } from './status.ts';
import { plannedVictims, victims } from './victims.ts';

/**
 * The name of a node that its cluster names: `$nI` is its index, `$nR` and `$nr` are letters by
 * chance.
 */
export function nodeNameFor({ config }: Cluster, index: number): string {
  const format = config['node.name.format'];
  if (typeof format !== 'string' || !format) return `node-${newHexId().slice(0, 8)}`;
  const numbered = format
    .slice(0, 200)
    .replaceAll(/\$(\d{0,2})I/g, (_, width: string) => String(index).padStart(Number(width), '0'));
  const letters = (upper: boolean) => (_: string, width: string) => {
    const drawn = newHexId()
      .replaceAll(/\d/g, (digit) => 'ghijklmnop'[Number(digit)]!)
      .slice(0, Number(width || 8));
    return upper ? drawn.toUpperCase() : drawn;
  };
  return numbered
    .replaceAll(/\$(\d{0,2})R/g, letters(true))
    .replaceAll(/\$(\d{0,2})r/g, letters(false));
}

/** A node that stands for nothing yet. */
export function newNode(
  now: number,
  owner: Owner,
  fields: Partial<Node> & Pick<Node, 'name' | 'profileId'>,
): Node {
  return {
    id: newUuid(),
    clusterId: '',
    physicalId: null,
    index: -1,
    role: '',
    initAt: now,
    createdAt: null,
    updatedAt: null,
    tainted: false,
    status: 'INIT',
    statusReason: 'Initializing',
    metadata: {},
    data: {},
    dependents: {},
    revision: 0,
    userId: owner.userId,
    projectId: owner.projectId,
    domainId: owner.domainId,
    ...fields,
  };
}

/**
 * Where each of the nodes goes: the group by the affinity policy, zone and region by the plans, one
 * after the other.
 */
export function placementsFor({ creation, placement }: ActionData, count: number): NodePlacement[] {
  const spread = (plan: Record<string, number> | undefined): string[] =>
    Object.entries(plan ?? {}).flatMap(([name, many]) => Array.from({ length: many }, () => name));
  const zones = spread(creation?.zones);
  const regions = spread(creation?.regions);
  return Array.from({ length: count }, (_, at) => ({
    ...placement?.placements[at],
    ...(zones[at] === undefined ? {} : { zone: zones[at] }),
    ...(regions[at] === undefined ? {} : { region_name: regions[at] }),
  }));
}

/** Makes nodes by child actions. Without any, the step that follows comes at once. */
export async function createNodes(
  run: Run,
  cluster: Cluster,
  count: number,
  step: string,
): Promise<Outcome> {
  const { context, data, action } = run;
  const placements = placementsFor(data, count);
  const owner: Owner = cluster;
  const made = Array.from({ length: count }, (_, at) => {
    const index = cluster.nextIndex + at;
    const placement = placements[at]!;
    return newNode(context.now, owner, {
      name: nodeNameFor(cluster, index),
      profileId: cluster.profileId,
      clusterId: cluster.id,
      index,
      data: Object.keys(placement).length ? { placement } : {},
    });
  });
  if (made.length) await store.nodes.insert(context.db, ...made);
  const here = made.length ? await lookUp(run, cluster) : undefined;
  await writeCluster(context, cluster.id, { nextIndex: cluster.nextIndex + count });
  const children = made.map((node) =>
    childOf(run, node, 'NODE_CREATE', { memory: here?.(node) ?? {} }),
  );
  await spawn(context, action, children);
  run.memory.created = made.map(({ id }) => id);
  return { waitFor: 'children', step };
}

/**
 * What the profile's names stand for here, once for all nodes. Where that fails, and in other
 * regions, each of them finds out for itself.
 * @returns what a node's action remembers of it
 */
async function lookUp(run: Run, cluster: Cluster): Promise<((node: Node) => Json) | undefined> {
  const profile = (await store.profiles.find(run.context.db, { id: cluster.profileId }))!;
  const { driver } = typeOfProfile(profile);
  const properties = propertiesOf(profile);
  if (!driver.lookUp) return undefined;
  const tried = await attempt(await run.owner(cluster), (context) =>
    driver.lookUp!(context, properties),
  );
  if ('error' in tried) return undefined;
  const memory = { create: { known: tried.value } };
  return (node) =>
    regionFor(run.context, node, properties) === run.context.region.name ? memory : {};
}

/** A child action on a node. */
export function childOf(
  { action }: Run,
  node: Pick<Node, 'id' | 'clusterId'>,
  kind: string,
  fields: Partial<NewAction> = {},
): NewAction {
  const { userId, projectId, domainId } = action;
  return {
    name: actionName(kind, node.id),
    action: kind,
    target: node.id,
    clusterId: node.clusterId,
    owner: { userId, projectId, domainId },
    inputs: {},
    cause: derived,
    ...fields,
  };
}

/** Takes nodes away by child actions: they are deleted, or only leave. */
export async function deleteNodes(
  run: Run,
  cluster: Cluster,
  ids: readonly string[],
  step: string,
  destroys = run.data.deletion?.destroy_after_deletion !== false,
): Promise<Outcome> {
  const { context, data, action } = run;
  const kind = destroys ? 'NODE_DELETE' : 'NODE_LEAVE';
  const gone = await store.nodes.among(context.db, 'id', ids);
  const hooks = data.hooks as { type?: string; timeout?: number } | undefined;
  if (hooks && Object.keys(hooks).length) {
    if (hooks.type !== 'zaqar')
      throw new EngineFailure(
        `Failed in deleting nodes: Lifecycle hook type '${hooks.type}' is not implemented`,
      );
    await deleteWithHook(run, gone, kind, hooks.timeout ?? 0);
  } else {
    const stops = cluster.config['cluster.stop_node_before_delete'] === true;
    const children = gone.flatMap((node) => {
      const child = childOf(run, node, kind, { name: actionName('NODE_DELETE', node.id) });
      if (!stops || !node.physicalId) return [child];
      return [
        childOf(run, node, 'NODE_OPERATION', {
          name: child.name,
          inputs: { operation: 'stop', update_parent_status: false },
        }),
        child,
      ];
    });
    // Each deletion comes after the stop of its node.
    await spawn(
      context,
      action,
      children.map((child, at) =>
        children[at - 1]?.target === child.target ? { ...child, after: at - 1 } : child,
      ),
    );
  }
  return { waitFor: 'children', step };
}

/** Nodes that run wait for the hook, at most as long as it says. */
async function deleteWithHook(
  run: Run,
  gone: readonly Node[],
  kind: string,
  timeout: number,
): Promise<void> {
  const { context, action } = run;
  const children = gone.map((node) => {
    const waits = node.status === 'ACTIVE' && node.physicalId !== null;
    const status = waits ? 'WAITING_LIFECYCLE_COMPLETION' : 'READY';
    return childOf(run, node, kind, {
      name: actionName('NODE_DELETE', node.id),
      cause: derivedWithHook,
      status,
    });
  });
  const ids = await spawn(context, action, children);
  const dueAt = (action.startTime ?? context.now) + timeout * SECOND;
  for (const [at, { status }] of children.entries())
    if (status !== 'READY')
      await schedule(context.db, { dueAt, kind: lifecycleKind, subject: ids[at]! });
}

/**
 * Who goes, where the deletion policy has not chosen: by the plan of zones or regions, else by
 * chance.
 */
export async function chooseVictims(
  run: Run,
  members: readonly Node[],
  count: number,
): Promise<string[]> {
  const { context, data } = run;
  if (data.deletion?.candidates?.length) return data.deletion.candidates;
  return plannedVictims(
    context,
    members,
    count,
    (from, many) => victims(from, many, 'RANDOM'),
    data.deletion,
  );
}

/** Why children have failed, in the words of the parent. */
export const childFailure = ({ action }: Run): string =>
  `${action.action} [${action.id.slice(0, 8)}] failed`;

/** Takes a node out of its cluster, or puts it in. */
export const setMembership = (context: Context, node: Node, fields: Partial<Node>): Promise<Node> =>
  writeNode(context, node.id, node.status, node.statusReason, fields);
