// CLUSTER_CHECK, CLUSTER_RECOVER and CLUSTER_OPERATION.
import * as store from '../../../store/index.ts';
import type { Json } from '../../../model.ts';
import { spawn } from '../../actions/queue.ts';
import { childFailure, childOf, chooseVictims, createNodes, deleteNodes } from '../members.ts';
import { lookAt } from '../../nodes/actions/recovery.ts';
import { done, failed, type Handler, type Run } from '../../engine/step.ts';
import { evaluate, writeCluster } from '../status.ts';

/** Children of cluster checks, recoveries and operations have no cluster of their own. */
const nowhere = { clusterId: '' };

export const clusterCheck: Handler = {
  begin: async (run) => {
    await writeCluster(run.context, run.action.target, {
      status: 'CHECKING',
      statusReason: 'Check in progress',
    });
    return run.after(run.latency, 'check', clusterCheck);
  },
  check: async (run) => {
    const members = await store.membersOf(run.context.db, run.action.target);
    await spawn(
      run.context,
      run.action,
      members.map((node) => childOf(run, node, 'NODE_CHECK', { ...nowhere, inputs: run.inputs })),
    );
    return { waitFor: 'children', step: 'checked' };
  },
  checked: async (run) => {
    const { context, action, memory } = run;
    await evaluate(context, action.target, action.action);
    return memory.outcome ? failed(childFailure(run)) : done('Cluster checking completed.');
  },
};

/** @returns whether all were found; see `lookAt` */
async function lookAtAll(run: Run): Promise<boolean> {
  let isDone = true;
  for (const node of await store.membersOf(run.context.db, run.action.target))
    isDone = (await lookAt(run, node)) && isDone;
  return isDone;
}

export const clusterRecover: Handler = {
  begin: async (run) => {
    await writeCluster(run.context, run.action.target, {
      status: 'RECOVERING',
      statusReason: 'Recovery in progress',
    });
    return run.after(run.latency, 'recover', clusterRecover);
  },
  recover: async (run) => {
    const { context, inputs, action } = run;
    if (inputs['check'] === true && !(await lookAtAll(run)))
      return { waitFor: 'region', step: 'recover' };
    const ill = (await store.membersOf(context.db, action.target)).filter(
      ({ status }) => status !== 'ACTIVE',
    );
    const own = ['check', 'check_capacity'];
    const childInputs = Object.fromEntries(
      Object.entries(inputs).filter(([name]) => !own.includes(name)),
    );
    await spawn(
      context,
      action,
      ill.map((node) => childOf(run, node, 'NODE_RECOVER', { ...nowhere, inputs: childInputs })),
    );
    return { waitFor: 'children', step: 'recovered' };
  },
  recovered: async (run) => {
    const { context, action, memory, inputs } = run;
    if (memory.outcome) {
      await evaluate(context, action.target, action.action);
      return failed(childFailure(run));
    }
    if (inputs['check_capacity'] !== true) return clusterRecover['complete']!(run);
    const cluster = await run.cluster();
    const members = await store.membersOf(context.db, cluster.id);
    const missing = cluster.desiredCapacity - members.length;
    if (missing > 0) return createNodes(run, cluster, missing, 'complete');
    if (missing < 0)
      return deleteNodes(run, cluster, await chooseVictims(run, members, -missing), 'complete');
    return clusterRecover['complete']!(run);
  },
  complete: async (run) => {
    const { context, action, memory } = run;
    await evaluate(context, action.target, action.action);
    return memory.outcome ? failed(childFailure(run)) : done('Cluster recovery succeeded.');
  },
};

export const clusterOperation: Handler = {
  begin: async (run) => {
    const { operation } = run.inputs as { operation: string };
    await writeCluster(run.context, run.action.target, {
      status: 'OPERATING',
      statusReason: `Operation ${operation} in progress`,
    });
    return run.after(run.latency, 'operate', clusterOperation);
  },
  operate: async (run) => {
    const { context, action } = run;
    const { operation, params, nodes } = run.inputs as {
      operation: string;
      params: Json;
      nodes: string[];
    };
    const chosen = await store.nodes.among(context.db, 'id', nodes);
    const children = chosen.map((node) =>
      childOf(run, node, 'NODE_OPERATION', {
        ...nowhere,
        name: `node_${operation}_${node.id.slice(0, 8)}`,
        inputs: { operation, params },
      }),
    );
    await spawn(context, action, children);
    return { waitFor: 'children', step: 'operated' };
  },
  operated: async (run) => {
    const { context, action, memory, inputs } = run;
    const operation = inputs['operation'] as string;
    await evaluate(context, action.target, operation);
    return memory.outcome
      ? failed(`Failed operation '${operation}' on cluster.`)
      : done(`Cluster operation '${operation}' completed.`);
  },
};
