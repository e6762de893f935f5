// NODE_CREATE, NODE_DELETE, NODE_UPDATE, NODE_JOIN and NODE_LEAVE.
import { SECOND } from '../../../../../kernel/clock.ts';
import * as store from '../../../store/index.ts';
import { propertiesOf } from '../../profiles/index.ts';
import type { DriverCall, Json, Node } from '../../../model.ts';
import { rpc } from '../../actions/queue.ts';
import { drive } from '../driver-calls.ts';
import { placementsFor } from '../../clusters/members.ts';
import { done, failed, type Handler, type Outcome, type Run } from '../../engine/step.ts';
import { sizeProblem } from '../../clusters/size.ts';
import { evaluate, writeNode } from '../../clusters/status.ts';

const isAsked = ({ action }: Run, { clusterId }: Node): boolean =>
  action.cause === rpc && clusterId !== '';

/** @returns which limit of its cluster the size breaks */
async function breaks(
  { context }: Run,
  clusterId: string,
  change: number,
): Promise<string | undefined> {
  const cluster = await store.clusters.find(context.db, { id: clusterId });
  if (!cluster) return undefined;
  const desired = (await store.nodes.count(context.db, { cluster_id: clusterId })) + change;
  return sizeProblem(cluster, { desired, strict: true });
}

export const nodeCreate: Handler = {
  begin: async (run) => {
    const { context, data } = run;
    const node = await run.node();
    if (node.status !== 'INIT') return failed('Node must be in INIT status');
    const problem = isAsked(run, node) ? await breaks(run, node.clusterId, 0) : undefined;
    if (problem) {
      await store.changeNode(context.db, node, {
        clusterId: '',
        index: -1,
        status: 'ERROR',
        statusReason: problem,
      });
      return failed(problem);
    }
    // What the policies have planned for this one; a node that its cluster makes has it from there.
    const [placement = {}] = isAsked(run, node) ? placementsFor(data, 1) : [];
    const placed = Object.keys(placement).length ? { data: { ...node.data, placement } } : {};
    await writeNode(context, node.id, 'CREATING', 'Creation in progress', placed);
    return run.after(run.latency, 'make', nodeCreate);
  },
  make: async (run) => {
    const { context } = run;
    const node = await run.node();
    const driven = await drive(run, node, { key: 'create', step: 'make', method: 'create' });
    if ('outcome' in driven) return driven.outcome;
    const isOk = 'changes' in driven;
    const now = { createdAt: context.now, updatedAt: context.now };
    if (isOk)
      await writeNode(context, node.id, 'ACTIVE', 'Creation succeeded', {
        ...driven.changes,
        ...now,
      });
    else await writeNode(context, node.id, 'ERROR', driven.failure);
    if (isAsked(run, node)) await follow(run, node.clusterId, 'NODE_CREATE');
    return isOk ? done('Node created successfully.') : failed(driven.failure);
  },
};

/** The cluster wants as many nodes as it has. */
async function follow({ context }: Run, clusterId: string, operation: string): Promise<void> {
  const desiredCapacity = await store.nodes.count(context.db, { cluster_id: clusterId });
  await evaluate(context, clusterId, operation, { desiredCapacity });
}

export const nodeDelete: Handler = {
  begin: async (run) => {
    const node = await run.node();
    const problem = isAsked(run, node) ? await breaks(run, node.clusterId, -1) : undefined;
    if (problem) return failed(problem);
    const grace = isAsked(run, node) ? (run.data.deletion?.grace_period ?? 0) * SECOND : 0;
    return run.after(grace, 'delete', nodeDelete);
  },
  delete: async (run) => {
    const node = await run.node();
    await writeNode(run.context, node.id, 'DELETING', 'Deletion in progress');
    return run.after(run.latency, 'unmake', nodeDelete);
  },
  unmake: async (run) => {
    const { context, data } = run;
    const node = await run.node();
    const driven = await drive(run, node, { key: 'delete', step: 'unmake', method: 'remove' });
    if ('outcome' in driven) return driven.outcome;
    if ('failure' in driven) {
      await writeNode(context, node.id, 'ERROR', driven.failure);
      if (isAsked(run, node)) await evaluate(context, node.clusterId, 'NODE_DELETE');
      return failed('Node deletion failed.');
    }
    await store.nodes.remove(context.db, { id: node.id });
    await store.locks.remove(context.db, { target: node.id });
    if (isAsked(run, node)) {
      const keeps = data.deletion?.reduce_desired_capacity === false;
      if (keeps) await evaluate(context, node.clusterId, 'NODE_DELETE');
      else await shrinkDesired(run, node.clusterId);
    }
    return done('Node deleted successfully.');
  },
};

async function shrinkDesired({ context }: Run, clusterId: string): Promise<void> {
  const cluster = await store.clusters.find(context.db, { id: clusterId });
  if (cluster)
    await evaluate(context, clusterId, 'NODE_DELETE', {
      desiredCapacity: Math.max(0, cluster.desiredCapacity - 1),
    });
}

export const nodeUpdate: Handler = {
  begin: async (run) => {
    const { inputs, context } = run;
    const node = await run.node();
    const profileId = inputs['new_profile_id'];
    const fields = ['name', 'role', 'metadata', 'tainted'].filter(
      (name) => inputs[name] !== undefined,
    );
    if ((profileId === undefined || profileId === node.profileId) && !fields.length)
      return done('Node updated successfully.');
    if (!node.physicalId) return failed('Node update failed.');
    await writeNode(context, node.id, 'UPDATING', 'Update in progress');
    return run.after(run.latency, 'change', nodeUpdate);
  },
  change: async (run) => {
    const { inputs, context } = run;
    const node = await run.node();
    const profileId = (inputs['new_profile_id'] as string | undefined) ?? node.profileId;
    const target = propertiesOf((await store.profiles.find(context.db, { id: profileId }))!);
    const name = inputs['name'] as string | undefined;
    const driven = await drive(run, node, {
      key: 'update',
      step: 'change',
      method: 'update',
      arguments: [target, { name }],
    });
    if ('outcome' in driven) return driven.outcome;
    const isOk = 'changes' in driven;
    if (isOk)
      await writeNode(context, node.id, 'ACTIVE', 'Update succeeded', {
        ...driven.changes,
        profileId,
        ...ownFields(inputs),
      });
    else await writeNode(context, node.id, 'ERROR', driven.failure);
    return isOk ? done('Node updated successfully.') : failed('Node update failed.');
  },
};

function ownFields({ name, role, metadata, tainted }: Json): Partial<Node> {
  return {
    ...(name === undefined ? {} : { name: name as string }),
    ...(role === undefined ? {} : { role: role as string }),
    ...(metadata === undefined ? {} : { metadata: metadata as Json }),
    ...(tainted === undefined ? {} : { tainted: tainted as boolean }),
  };
}

export const nodeJoin: Handler = {
  begin: async (run) => {
    const { context, inputs } = run;
    const node = await run.node();
    const clusterId = inputs['cluster_id'] as string;
    if (node.clusterId === clusterId) return done('Node successfully joined cluster.');
    // Upstream: the server learns of its index only later.
    const problem = await attempted(run, node, { method: 'join', arguments: [clusterId] });
    if (problem) return problem;
    const cluster = (await store.clusters.find(context.db, { id: clusterId }))!;
    await store.changeCluster(context.db, cluster, { nextIndex: cluster.nextIndex + 1 });
    await store.changeNode(context.db, node, {
      clusterId,
      index: cluster.nextIndex,
      role: null,
      updatedAt: context.now,
    });
    return done('Node successfully joined cluster.');
  },
};

export const nodeLeave: Handler = {
  begin: async (run) => {
    const { context } = run;
    const node = await run.node();
    if (!node.clusterId) return done('Node successfully left cluster.');
    const problem = await attempted(run, node, { method: 'leave' });
    if (problem) return problem;
    await store.changeNode(context.db, await run.node(), {
      clusterId: '',
      index: -1,
      role: null,
      updatedAt: context.now,
    });
    return done('Node successfully left cluster.');
  },
};

/** @returns what the action waits for, or how it ends where the driver fails */
async function attempted(run: Run, node: Node, call: DriverCall): Promise<Outcome | undefined> {
  if (!node.physicalId) return undefined;
  const driven = await drive(run, node, { key: 'membership', step: 'begin', ...call });
  if ('outcome' in driven) return driven.outcome;
  if ('changes' in driven) return undefined;
  await writeNode(run.context, node.id, 'ERROR', driven.failure);
  return failed(
    run.action.action === 'NODE_JOIN'
      ? 'Node failed in joining cluster.'
      : 'Node failed in leaving cluster.',
  );
}
