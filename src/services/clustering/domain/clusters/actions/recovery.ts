// CLUSTER_CHECK, CLUSTER_RECOVER and CLUSTER_OPERATION.
import type { Context } from '../../../../../kernel/model.ts';
import type { Action, Cluster, Json, Memory } from '../../../model.ts';
import * as store from '../../../store/index.ts';
import { childOf, createChildren } from '../../actions/dependencies.ts';
import {
  actionLatency,
  failed,
  goTo,
  succeeded,
  withMemory,
  type Steps,
} from '../../engine/step.ts';
import { checkNode } from '../../nodes/actions/recovery.ts';
import { without } from '../../without.ts';
import { childFailure, createNodes, removeNodes } from '../members.ts';
import { evaluate, updateCluster } from '../status.ts';
import { chooseVictims } from '../victims.ts';

/** The children of these actions have no cluster of their own: they do not change its status. */
const noCluster = { clusterId: '' };

export const clusterCheck: Steps<Cluster> = {
  begin: async (context, action) => {
    await updateCluster(context, action.target, {
      status: 'CHECKING',
      statusReason: 'Check in progress',
    });
    return goTo('check', actionLatency(context, action));
  },
  check: async (context, action) => {
    const { target, inputs } = action;
    const members = await store.membersOf(context.db, target);
    await createChildren(
      context,
      action,
      members.map((node) => childOf(action, node, 'NODE_CHECK', { ...noCluster, inputs })),
    );
    return { waitFor: 'children', step: 'checked' };
  },
  checked: async (context, action) => {
    await evaluate(context, action.target, action.action);
    return action.memory.outcome
      ? failed(childFailure(action))
      : succeeded('Cluster checking completed.');
  },
};

/** Checks all nodes of a cluster. @returns false if the results of other regions are missing */
async function checkMembers(
  context: Context,
  action: Action,
): Promise<{ readonly isComplete: boolean; readonly action: Action }> {
  let isComplete = true;
  for (const node of await store.membersOf(context.db, action.target)) {
    const { isChecked, remember } = await checkNode(context, action, node);
    isComplete &&= isChecked;
    action = withMemory(action, remember);
  }
  return { isComplete, action };
}

export const clusterRecover: Steps<Cluster> = {
  begin: async (context, action) => {
    await updateCluster(context, action.target, {
      status: 'RECOVERING',
      statusReason: 'Recovery in progress',
    });
    return goTo('recover', actionLatency(context, action));
  },
  recover: async (context, action) => {
    const inputs = without(action.inputs, 'check', 'check_capacity');
    let remember: Memory = {};
    if (action.inputs['check'] === true) {
      const checked = await checkMembers(context, action);
      remember = checked.action.memory;
      if (!checked.isComplete) return { waitFor: 'remote tasks', step: 'recover', remember };
    }
    const members = await store.membersOf(context.db, action.target);
    const unhealthy = members.filter(({ status }) => status !== 'ACTIVE');
    await createChildren(
      context,
      action,
      unhealthy.map((node) => childOf(action, node, 'NODE_RECOVER', { ...noCluster, inputs })),
    );
    return { waitFor: 'children', step: 'recovered', remember };
  },
  recovered: async (context, action, cluster) => {
    if (action.memory.outcome) {
      await evaluate(context, action.target, action.action);
      return failed(childFailure(action));
    }
    if (action.inputs['check_capacity'] !== true) return goTo('complete');
    const members = await store.membersOf(context.db, cluster.id);
    const missing = cluster.desiredCapacity - members.length;
    if (missing > 0) return createNodes(context, action, cluster, missing, 'complete');
    if (missing === 0) return goTo('complete');
    const ids = await chooseVictims(context, action, action.data, members, -missing);
    return removeNodes(context, action, cluster, ids, 'complete');
  },
  complete: async (context, action) => {
    await evaluate(context, action.target, action.action);
    return action.memory.outcome
      ? failed(childFailure(action))
      : succeeded('Cluster recovery succeeded.');
  },
};

interface OperationInputs {
  readonly operation: string;
  readonly params: Json;
  /** The ids of the nodes that the client's filter has chosen. */
  readonly nodes: readonly string[];
}

const inputsOf = ({ inputs }: Action): OperationInputs => inputs as Json & OperationInputs;

export const clusterOperation: Steps<Cluster> = {
  begin: async (context, action) => {
    await updateCluster(context, action.target, {
      status: 'OPERATING',
      statusReason: `Operation ${inputsOf(action).operation} in progress`,
    });
    return goTo('operate', actionLatency(context, action));
  },
  operate: async (context, action) => {
    const { operation, params, nodes } = inputsOf(action);
    const children = (await store.nodes.among(context.db, 'id', nodes)).map((node) =>
      childOf(action, node, 'NODE_OPERATION', {
        ...noCluster,
        name: `node_${operation}_${node.id.slice(0, 8)}`,
        inputs: { operation, params },
      }),
    );
    await createChildren(context, action, children);
    return { waitFor: 'children', step: 'operated' };
  },
  operated: async (context, action) => {
    const { operation } = inputsOf(action);
    await evaluate(context, action.target, operation);
    return action.memory.outcome
      ? failed(`Failed operation '${operation}' on cluster.`)
      : succeeded(`Cluster operation '${operation}' completed.`);
  },
};
