// CLUSTER_ADD_NODES, CLUSTER_DEL_NODES and CLUSTER_REPLACE_NODES.
import { SECOND } from '../../../../../kernel/clock.ts';
import * as store from '../../../store/index.ts';
import type { Cluster, Node } from '../../../model.ts';
import { spawn } from '../../actions/queue.ts';
import { childFailure, childOf, deleteNodes } from '../members.ts';
import { done, failed, type Handler, type Run } from '../../engine/step.ts';
import { sizeProblem } from '../size.ts';
import { evaluate } from '../status.ts';

/** Nodes by their ids, in the order of the ids. */
async function nodesOf({ context }: Run, ids: readonly string[]): Promise<Map<string, Node>> {
  return new Map((await store.nodes.among(context.db, 'id', ids)).map((node) => [node.id, node]));
}

function addable(found: ReadonlyMap<string, Node>, ids: readonly string[]): string[] {
  return ids.flatMap((id) => {
    const node = found.get(id);
    if (!node) return [`Node ${id} is not found.`];
    if (node.clusterId) return [`Node ${id} is already owned by cluster ${node.clusterId}.`];
    return node.status === 'ACTIVE' ? [] : [`Node ${id} is not in ACTIVE status.`];
  });
}

const sizeOf = ({ context }: Run, { id }: Cluster): Promise<number> =>
  store.nodes.count(context.db, { cluster_id: id });

export const addNodes: Handler = {
  begin: async (run) => {
    const ids = run.inputs['nodes'] as string[];
    const found = await nodesOf(run, ids);
    const problems = addable(found, ids);
    if (problems.length) return failed(problems.join('\n'));
    const cluster = await run.cluster();
    const desired = (await sizeOf(run, cluster)) + ids.length;
    const problem = sizeProblem(cluster, { desired, strict: true });
    if (problem) return failed(problem);
    const inputs = { cluster_id: cluster.id };
    await spawn(
      run.context,
      run.action,
      ids.map((id) => childOf(run, { id, clusterId: cluster.id }, 'NODE_JOIN', { inputs })),
    );
    run.memory.created = ids;
    run.memory['desired'] = desired;
    return { waitFor: 'children', step: 'added' };
  },
  added: async ({ context, action, memory }) => {
    const isOk = memory.outcome === undefined;
    const size = isOk
      ? (memory['desired'] as number)
      : await store.nodes.count(context.db, { cluster_id: action.target });
    await evaluate(context, action.target, action.action, { desiredCapacity: size });
    return isOk ? done('Completed adding nodes.') : failed('Failed in adding nodes.');
  },
};

export const delNodes: Handler = {
  begin: async (run) => {
    const { inputs, data } = run;
    const given = (data.deletion?.candidates ?? inputs['candidates']) as string[];
    const found = await nodesOf(run, given);
    const ids = given.filter((id) => found.get(id)?.clusterId === run.action.target);
    const cluster = await run.cluster();
    const desired = (await sizeOf(run, cluster)) - ids.length;
    const problem = sizeProblem(cluster, { desired, strict: true });
    if (problem) return failed(problem);
    Object.assign(run.memory, { ids, desired });
    return run.after((data.deletion?.grace_period ?? 0) * SECOND, 'remove', delNodes);
  },
  remove: async (run) => {
    const { data, inputs, memory } = run;
    const destroys =
      data.deletion?.destroy_after_deletion ?? inputs['destroy_after_deletion'] === true;
    return deleteNodes(run, await run.cluster(), memory['ids'] as string[], 'removed', destroys);
  },
  removed: async (run) => {
    const { context, action, memory, data } = run;
    const keeps = data.deletion?.reduce_desired_capacity === false;
    await evaluate(
      context,
      action.target,
      action.action,
      keeps ? {} : { desiredCapacity: memory['desired'] as number },
    );
    if (memory.outcome) return failed(`Failed in deleting nodes: ${childFailure(run)}`);
    return done('Completed deleting nodes.');
  },
};

export const replaceNodes: Handler = {
  begin: async (run) => {
    const { context, action } = run;
    const pairs = Object.entries(run.inputs['candidates'] as Record<string, string>);
    const found = await nodesOf(run, pairs.flat());
    const problems = pairs.flatMap(([before, after]) => [
      ...(found.get(before)?.clusterId === action.target
        ? []
        : [`Node ${before} is not a member of the cluster ${action.target}.`]),
      ...addable(found, [after]),
    ]);
    if (problems.length) return failed(problems.join('\n'));
    const children = pairs.flatMap(([before, after], at) => [
      childOf(run, { id: after, clusterId: action.target }, 'NODE_JOIN', {
        inputs: { cluster_id: action.target },
      }),
      // The old node leaves once the new one is there.
      { ...childOf(run, { id: before, clusterId: action.target }, 'NODE_LEAVE'), after: 2 * at },
    ]);
    await spawn(context, action, children);
    return { waitFor: 'children', step: 'replaced' };
  },
  replaced: async ({ context, action, memory }) => {
    await evaluate(context, action.target, action.action);
    return memory.outcome
      ? failed('Failed in replacing nodes.')
      : done('Completed replacing nodes.');
  },
};
