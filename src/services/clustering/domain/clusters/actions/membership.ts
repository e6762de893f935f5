// CLUSTER_ADD_NODES, CLUSTER_DEL_NODES and CLUSTER_REPLACE_NODES.
import { SECOND } from '../../../../../kernel/clock.ts';
import type { Context } from '../../../../../kernel/model.ts';
import type { Cluster, Node } from '../../../model.ts';
import * as store from '../../../store/index.ts';
import { childOf, createChildren } from '../../actions/dependencies.ts';
import { failed, goTo, succeeded, type Steps } from '../../engine/step.ts';
import { childFailure, removeNodes } from '../members.ts';
import { sizeProblem } from '../size.ts';
import { loadSettings } from '../../settings.ts';
import { evaluate } from '../status.ts';

/** Reads nodes by id. */
async function nodesById(
  { db }: Context,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Node>> {
  return new Map((await store.nodes.among(db, 'id', ids)).map((node) => [node.id, node]));
}

/** @returns why some of the nodes cannot join a cluster */
function joiningProblems(found: ReadonlyMap<string, Node>, ids: readonly string[]): string[] {
  return ids.flatMap((id) => {
    const node = found.get(id);
    if (!node) return [`Node ${id} is not found.`];
    if (node.clusterId) return [`Node ${id} is already owned by cluster ${node.clusterId}.`];
    return node.status === 'ACTIVE' ? [] : [`Node ${id} is not in ACTIVE status.`];
  });
}

export const addNodes: Steps<Cluster> = {
  begin: async (context, action, cluster) => {
    const ids = action.inputs['nodes'] as string[];
    const problems = joiningProblems(await nodesById(context, ids), ids);
    if (problems.length) return failed(problems.join('\n'));
    const desired = (await store.countMembers(context.db, cluster.id)) + ids.length;
    const { maxNodesPerCluster: maxNodes } = await loadSettings(context);
    const problem = sizeProblem(cluster, { desired, strict: true, maxNodes });
    if (problem) return failed(problem);
    const clusterId = cluster.id;
    const inputs = { cluster_id: clusterId };
    await createChildren(
      context,
      action,
      ids.map((id) => childOf(action, { id, clusterId }, 'NODE_JOIN', { inputs })),
    );
    return { waitFor: 'children', step: 'added', remember: { created: ids, desired } };
  },
  added: async (context, { action: kind, target, memory }) => {
    const isOk = memory.outcome === undefined;
    const desiredCapacity = isOk ? memory.desired! : await store.countMembers(context.db, target);
    await evaluate(context, target, kind, { desiredCapacity });
    return isOk ? succeeded('Completed adding nodes.') : failed('Failed in adding nodes.');
  },
};

export const delNodes: Steps<Cluster> = {
  begin: async (context, action, cluster) => {
    const { inputs, data, target } = action;
    const given = data.deletion?.candidates ?? (inputs['candidates'] as string[]);
    const found = await nodesById(context, given);
    const ids = given.filter((id) => found.get(id)?.clusterId === target);
    const desired = (await store.countMembers(context.db, cluster.id)) - ids.length;
    const { maxNodesPerCluster: maxNodes } = await loadSettings(context);
    const problem = sizeProblem(cluster, { desired, strict: true, maxNodes });
    if (problem) return failed(problem);
    const gracePeriod = (data.deletion?.grace_period ?? 0) * SECOND;
    return { ...goTo('remove', gracePeriod), remember: { ids, desired } };
  },
  remove: async (context, action, cluster) => {
    const { data, inputs, memory } = action;
    const destroy =
      data.deletion?.destroy_after_deletion ?? inputs['destroy_after_deletion'] === true;
    return removeNodes(context, action, cluster, memory.ids!, 'removed', destroy);
  },
  removed: async (context, action) => {
    const { memory, data } = action;
    const keepsCapacity = data.deletion?.reduce_desired_capacity === false;
    const capacity = keepsCapacity ? {} : { desiredCapacity: memory.desired! };
    await evaluate(context, action.target, action.action, capacity);
    if (memory.outcome) return failed(`Failed in deleting nodes: ${childFailure(action)}`);
    return succeeded('Completed deleting nodes.');
  },
};

export const replaceNodes: Steps<Cluster> = {
  begin: async (context, action) => {
    const clusterId = action.target;
    const pairs = Object.entries(action.inputs['candidates'] as Record<string, string>);
    const found = await nodesById(context, pairs.flat());
    const problems = pairs.flatMap(([before, after]) => [
      ...(found.get(before)?.clusterId === clusterId
        ? []
        : [`Node ${before} is not a member of the cluster ${clusterId}.`]),
      ...joiningProblems(found, [after]),
    ]);
    if (problems.length) return failed(problems.join('\n'));
    const children = pairs.flatMap(([before, after], index) => [
      childOf(action, { id: after, clusterId }, 'NODE_JOIN', { inputs: { cluster_id: clusterId } }),
      // The old node leaves after the new one has joined.
      { ...childOf(action, { id: before, clusterId }, 'NODE_LEAVE'), after: 2 * index },
    ]);
    await createChildren(context, action, children);
    return { waitFor: 'children', step: 'replaced' };
  },
  replaced: async (context, { action: kind, target, memory }) => {
    await evaluate(context, target, kind);
    return memory.outcome
      ? failed('Failed in replacing nodes.')
      : succeeded('Completed replacing nodes.');
  },
};
