// NODE_CREATE, NODE_DELETE, NODE_UPDATE, NODE_JOIN and NODE_LEAVE.
import { SECOND } from '../../../../../kernel/clock.ts';
import type { Context } from '../../../../../kernel/model.ts';
import type { Action, DriverCall, Json, Node } from '../../../model.ts';
import * as store from '../../../store/index.ts';
import { rpc } from '../../actions/queue.ts';
import { placementsFor } from '../../clusters/members.ts';
import { sizeProblem } from '../../clusters/size.ts';
import { loadSettings } from '../../settings.ts';
import { evaluate, setNodeStatus } from '../../clusters/status.ts';
import {
  actionLatency,
  failed,
  goTo,
  succeeded,
  type StepResult,
  type Steps,
} from '../../engine/step.ts';
import { propertiesOf } from '../../profiles/index.ts';
import { drive } from '../driver-calls.ts';

/** Whether a client has requested the action, and not a cluster action, for a node in a cluster. */
const changesCluster = ({ cause }: Action, { clusterId }: Node): boolean =>
  cause === rpc && clusterId !== '';

/** @returns why the cluster cannot have so many nodes more */
async function clusterSizeProblem(
  context: Context,
  clusterId: string,
  change: number,
): Promise<string | undefined> {
  const { db } = context;
  const cluster = await store.clusters.find(db, { id: clusterId });
  if (!cluster) return undefined;
  const desired = (await store.countMembers(db, clusterId)) + change;
  const { maxNodesPerCluster: maxNodes } = await loadSettings(context);
  return sizeProblem(cluster, { desired, strict: true, maxNodes });
}

export const nodeCreate: Steps<Node> = {
  begin: async (context, action, node) => {
    if (node.status !== 'INIT') return failed('Node must be in INIT status');
    const inCluster = changesCluster(action, node);
    const problem = inCluster ? await clusterSizeProblem(context, node.clusterId, 0) : undefined;
    if (problem) {
      await store.changeNode(context.db, node, {
        clusterId: '',
        index: -1,
        status: 'ERROR',
        statusReason: problem,
      });
      return failed(problem);
    }
    // The policies have placed this node; a node that a cluster action creates is placed already.
    const [placement = {}] = inCluster ? placementsFor(action.data, 1) : [];
    const placed = Object.keys(placement).length ? { data: { ...node.data, placement } } : {};
    const creating = await setNodeStatus(context, node, 'CREATING', 'Creation in progress', placed);
    return goTo('make', actionLatency(context, action), creating);
  },
  make: async (context, action, node) => {
    const driven = await drive(context, action, node, {
      purpose: 'create',
      step: 'make',
      method: 'create',
    });
    if ('suspension' in driven) return { ...driven.suspension, remember: driven.remember };
    const { now } = context;
    if ('changes' in driven)
      await setNodeStatus(context, node, 'ACTIVE', 'Creation succeeded', {
        ...driven.changes,
        createdAt: now,
        updatedAt: now,
      });
    else await setNodeStatus(context, node, 'ERROR', driven.failure);
    if (changesCluster(action, node)) await matchCapacity(context, node.clusterId);
    return 'failure' in driven ? failed(driven.failure) : succeeded('Node created successfully.');
  },
};

/** Sets the desired capacity of a cluster to the number of its nodes. */
async function matchCapacity(context: Context, clusterId: string): Promise<void> {
  const desiredCapacity = await store.countMembers(context.db, clusterId);
  await evaluate(context, clusterId, 'NODE_CREATE', { desiredCapacity });
}

export const nodeDelete: Steps<Node> = {
  begin: async (context, action, node) => {
    if (!changesCluster(action, node)) return goTo('delete', 0, node);
    const problem = await clusterSizeProblem(context, node.clusterId, -1);
    if (problem) return failed(problem);
    return goTo('delete', (action.data.deletion?.grace_period ?? 0) * SECOND);
  },
  delete: async (context, action, node) => {
    const deleting = await setNodeStatus(context, node, 'DELETING', 'Deletion in progress');
    return goTo('unmake', actionLatency(context, action), deleting);
  },
  unmake: async (context, action, node) => {
    const { db } = context;
    const driven = await drive(context, action, node, {
      purpose: 'delete',
      step: 'unmake',
      method: 'remove',
    });
    if ('suspension' in driven) return { ...driven.suspension, remember: driven.remember };
    const inCluster = changesCluster(action, node);
    if ('failure' in driven) {
      await setNodeStatus(context, node, 'ERROR', driven.failure);
      if (inCluster) await evaluate(context, node.clusterId, 'NODE_DELETE');
      return failed('Node deletion failed.');
    }
    await store.nodes.remove(db, { id: node.id });
    await store.locks.remove(db, { target: node.id });
    if (inCluster) {
      const keepsCapacity = action.data.deletion?.reduce_desired_capacity === false;
      if (keepsCapacity) await evaluate(context, node.clusterId, 'NODE_DELETE');
      else await reduceCapacity(context, node.clusterId);
    }
    return succeeded('Node deleted successfully.');
  },
};

async function reduceCapacity(context: Context, clusterId: string): Promise<void> {
  const cluster = await store.clusters.find(context.db, { id: clusterId });
  if (cluster)
    await evaluate(context, clusterId, 'NODE_DELETE', {
      desiredCapacity: Math.max(0, cluster.desiredCapacity - 1),
    });
}

export const nodeUpdate: Steps<Node> = {
  begin: async (context, action, node) => {
    const { inputs } = action;
    const profileId = inputs['new_profile_id'];
    const changesFields = ['name', 'role', 'metadata', 'tainted'].some(
      (name) => inputs[name] !== undefined,
    );
    if ((profileId === undefined || profileId === node.profileId) && !changesFields)
      return succeeded('Node updated successfully.');
    if (!node.physicalId) return failed('Node update failed.');
    const updating = await setNodeStatus(context, node, 'UPDATING', 'Update in progress');
    return goTo('change', actionLatency(context, action), updating);
  },
  change: async (context, action, node) => {
    const { inputs } = action;
    const profileId = (inputs['new_profile_id'] as string | undefined) ?? node.profileId;
    const target = propertiesOf((await store.profiles.find(context.db, { id: profileId }))!);
    const driven = await drive(context, action, node, {
      purpose: 'update',
      step: 'change',
      method: 'update',
      arguments: [target, { name: inputs['name'] }],
    });
    if ('suspension' in driven) return { ...driven.suspension, remember: driven.remember };
    if ('failure' in driven) {
      await setNodeStatus(context, node, 'ERROR', driven.failure);
      return failed('Node update failed.');
    }
    await setNodeStatus(context, node, 'ACTIVE', 'Update succeeded', {
      ...driven.changes,
      profileId,
      ...nodeFields(inputs),
    });
    return succeeded('Node updated successfully.');
  },
};

/** The fields of an update that change the node alone, and not its physical resource. */
function nodeFields({ name, role, metadata, tainted }: Json): Partial<Node> {
  return {
    ...(name === undefined ? {} : { name: name as string }),
    ...(role === undefined ? {} : { role: role as string }),
    ...(metadata === undefined ? {} : { metadata: metadata as Json }),
    ...(tainted === undefined ? {} : { tainted: tainted as boolean }),
  };
}

export const nodeJoin: Steps<Node> = {
  begin: async (context, action, node) => {
    const { db, now } = context;
    const clusterId = action.inputs['cluster_id'] as string;
    const joined = succeeded('Node successfully joined cluster.');
    if (node.clusterId === clusterId) return joined;
    // The metadata of the server gets the node's old index, as upstream.
    const result = await changeMembership(context, action, node, {
      method: 'join',
      arguments: [clusterId],
    });
    if (result) return result;
    const cluster = (await store.clusters.find(db, { id: clusterId }))!;
    await store.changeCluster(db, cluster, { nextIndex: cluster.nextIndex + 1 });
    await store.changeNode(db, node, {
      clusterId,
      index: cluster.nextIndex,
      role: null,
      updatedAt: now,
    });
    return joined;
  },
};

export const nodeLeave: Steps<Node> = {
  begin: async (context, action, node) => {
    const left = succeeded('Node successfully left cluster.');
    if (!node.clusterId) return left;
    const result = await changeMembership(context, action, node, { method: 'leave' });
    if (result) return result;
    await store.changeNode(context.db, node, {
      clusterId: '',
      index: -1,
      role: null,
      updatedAt: context.now,
    });
    return left;
  },
};

/** @returns the result of the step if the driver has failed, or has not answered yet */
async function changeMembership(
  context: Context,
  action: Action,
  node: Node,
  call: DriverCall,
): Promise<StepResult | undefined> {
  if (!node.physicalId) return undefined;
  const driven = await drive(context, action, node, {
    purpose: 'membership',
    step: 'begin',
    ...call,
  });
  if ('suspension' in driven) return { ...driven.suspension, remember: driven.remember };
  if ('changes' in driven) return undefined;
  await setNodeStatus(context, node, 'ERROR', driven.failure);
  return failed(
    call.method === 'join' ? 'Node failed in joining cluster.' : 'Node failed in leaving cluster.',
  );
}
