// NODE_CHECK, NODE_RECOVER and NODE_OPERATION.
import type { Context } from '../../../../../kernel/model.ts';
import type { Action, Json, Memory, Node } from '../../../model.ts';
import * as store from '../../../store/index.ts';
import { evaluate, setNodeStatus } from '../../clusters/status.ts';
import {
  actionLatency,
  failed,
  goTo,
  succeeded,
  type StepResult,
  type Steps,
} from '../../engine/step.ts';
import type { Health } from '../../profiles/types.ts';
import { EngineFailure } from '../../refusals.ts';
import { without } from '../../without.ts';
import { drive, tryDriver, type Driven } from '../driver-calls.ts';

/**
 * Asks the driver for the health of a node's physical resource.
 * @returns no health if the region of the node has not answered yet
 * @throws EngineFailure if the driver fails
 */
async function healthOf(
  context: Context,
  action: Action,
  node: Node,
): Promise<{ readonly health?: Health; readonly remember: Memory }> {
  const { answer, remember } = await tryDriver(context, action, node, 'check', { method: 'check' });
  if (!answer) return { remember };
  if ('failure' in answer) throw new EngineFailure(answer.failure);
  return { health: answer.value as Health, remember };
}

/**
 * Checks the health of a node's physical resource, and sets the status of the node.
 * @returns false if the region of the node has not answered yet: the step has to run again
 */
export async function checkNode(
  context: Context,
  action: Action,
  node: Node,
): Promise<{ readonly isChecked: boolean; readonly remember: Memory }> {
  if (!node.physicalId) return { isChecked: true, remember: {} };
  const { health, remember } = await healthOf(context, action, node);
  if (health === undefined) return { isChecked: false, remember };
  if (health === 'active') {
    const reason = 'Check: Node is ACTIVE.';
    // A check does not end a warning.
    if (node.status === 'WARNING') {
      const warning = node.statusReason.replace(`${reason} `, '');
      await setNodeStatus(context, node, 'WARNING', `${reason} ${warning}`);
    } else await setNodeStatus(context, node, 'ACTIVE', reason);
    return { isChecked: true, remember };
  }
  const gone = health === 'gone' ? { physicalId: null } : {};
  await setNodeStatus(context, node, 'ERROR', 'Check: Node is not ACTIVE.', gone);
  return { isChecked: true, remember };
}

export const nodeCheck: Steps<Node> = {
  begin: async (context, action, node) => {
    if (!node.physicalId) {
      await setNodeStatus(context, node, 'ERROR', 'Check: Node is not ACTIVE.');
      return failed('Node check failed.');
    }
    const { isChecked, remember } = await checkNode(context, action, node);
    return isChecked
      ? succeeded('Node status is checked.')
      : { waitFor: 'remote tasks', step: 'begin', remember };
  },
};

interface RecoverInputs {
  readonly operation?: string;
  readonly operation_params?: Json;
  readonly check?: boolean;
}

const inputsOf = ({ inputs }: Action): RecoverInputs => inputs as RecoverInputs;

const operationOf = (action: Action): string =>
  (inputsOf(action).operation ?? 'RECREATE').toUpperCase();

export const nodeRecover: Steps<Node> = {
  begin: async (context, action, node) => {
    const operation = operationOf(action);
    if (operation !== 'RECREATE' && !node.physicalId)
      return finishRecovery(context, action, node, { failure: 'Recovery failed', remember: {} });
    let remember: Memory = {};
    if (inputsOf(action).check && node.physicalId) {
      const checked = await healthOf(context, action, node);
      ({ remember } = checked);
      if (checked.health === undefined) return { waitFor: 'remote tasks', step: 'begin', remember };
      if (checked.health === 'active') {
        await setNodeStatus(context, node, 'ACTIVE', 'Recover: Node is ACTIVE.');
        return succeeded('Node recovered successfully.');
      }
    }
    await setNodeStatus(context, node, 'RECOVERING', 'Recovery in progress');
    return {
      ...goTo(operation === 'RECREATE' ? 'remove' : 'operate', actionLatency(context, action)),
      remember: { ...remember, before: node.physicalId },
    };
  },
  operate: async (context, action, node) => {
    const driven = await drive(context, action, node, {
      purpose: 'operate',
      step: 'operate',
      method: 'operate',
      arguments: [operationOf(action).toLowerCase(), inputsOf(action).operation_params ?? {}],
    });
    return finishRecovery(context, action, node, driven);
  },
  remove: async (context, action, node) => {
    const driven = await drive(context, action, node, {
      purpose: 'remove',
      step: 'remove',
      method: 'remove',
    });
    const isForced = action.inputs['force_recreate'] === true;
    if ('suspension' in driven || ('failure' in driven && !isForced))
      return finishRecovery(context, action, node, driven);
    const changes = 'changes' in driven ? driven.changes : { physicalId: null };
    await store.changeNode(context.db, node, changes);
    return { ...goTo('create'), remember: driven.remember };
  },
  create: async (context, action, node) => {
    const driven = await drive(context, action, node, {
      purpose: 'create',
      step: 'create',
      method: 'create',
    });
    return finishRecovery(context, action, node, driven);
  },
};

/** Writes the result of a recovery, unless the driver has not finished yet. */
async function finishRecovery(
  context: Context,
  action: Action,
  node: Node,
  driven: Driven,
): Promise<StepResult> {
  if ('suspension' in driven) return { ...driven.suspension, remember: driven.remember };
  const isOk = 'changes' in driven;
  if (isOk) {
    const data = without(driven.changes.data ?? node.data, 'recovery');
    const { physicalId } = driven.changes;
    const isNew = physicalId !== undefined && physicalId !== action.memory.before;
    await setNodeStatus(context, node, 'ACTIVE', 'Recovery succeeded', {
      ...driven.changes,
      data: { ...data, ...(isNew ? { recovery: 'RECREATE' } : {}) },
    });
  } else await setNodeStatus(context, node, 'ERROR', 'Recovery failed');
  if (node.clusterId && action.clusterId) await evaluate(context, node.clusterId, 'NODE_RECOVER');
  return isOk ? succeeded('Node recovered successfully.') : failed('Node recover failed.');
}

interface OperationInputs {
  readonly operation: string;
  readonly params?: Json;
}

const operationInputsOf = ({ inputs }: Action): OperationInputs => inputs as Json & OperationInputs;

export const nodeOperation: Steps<Node> = {
  begin: async (context, action, node) => {
    const { operation } = operationInputsOf(action);
    if (!node.physicalId) return failed(`Node operation '${operation}' failed.`);
    await setNodeStatus(context, node, 'OPERATING', `Operation '${operation}' in progress`);
    return goTo('operate', actionLatency(context, action));
  },
  operate: async (context, action, node) => {
    const { operation, params = {} } = operationInputsOf(action);
    const driven = await drive(context, action, node, {
      purpose: 'operate',
      step: 'operate',
      method: 'operate',
      arguments: [operation, params],
    });
    if ('suspension' in driven) return { ...driven.suspension, remember: driven.remember };
    if ('failure' in driven) {
      await setNodeStatus(context, node, 'ERROR', driven.failure);
      return failed(`Node operation '${operation}' failed.`);
    }
    await setNodeStatus(context, node, 'ACTIVE', `Operation '${operation}' succeeded`);
    return succeeded(`Node operation '${operation}' succeeded.`);
  },
};
