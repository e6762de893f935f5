// NODE_CHECK, NODE_RECOVER and NODE_OPERATION.
import * as store from '../../../store/index.ts';
import type { Json, Node } from '../../../model.ts';
import { EngineFailure } from '../../refusals.ts';
import { drive, tryDriver, type Driven } from '../driver-calls.ts';
import { done, failed, type Handler, type Outcome, type Run } from '../../engine/step.ts';
import { evaluate, writeNode } from '../../clusters/status.ts';

/**
 * What a node stands for, as its driver sees it; undefined where that is not known yet.
 * @throws EngineFailure
 */
async function seen(run: Run, node: Node): Promise<'active' | 'inactive' | 'gone' | undefined> {
  const answer = await tryDriver(run, node, 'check', { method: 'check' });
  if (answer && 'failure' in answer) throw new EngineFailure(answer.failure);
  return answer?.value as 'active' | 'inactive' | 'gone' | undefined;
}

/**
 * Looks whether what a node stands for is well, and writes down what it finds.
 * @returns whether it was found; if not, the action waits for the region of the node, and looks
 *   again
 */
export async function lookAt(run: Run, node: Node): Promise<boolean> {
  if (!node.physicalId) return true;
  const { context } = run;
  const found = await seen(run, node);
  if (found === undefined) return false;
  if (found === 'active') {
    // A warning stays one.
    const reason = 'Check: Node is ACTIVE.';
    if (node.status === 'WARNING')
      await writeNode(
        context,
        node.id,
        'WARNING',
        `${reason} ${node.statusReason.replace(`${reason} `, '')}`,
      );
    else await writeNode(context, node.id, 'ACTIVE', reason);
    return true;
  }
  const gone = found === 'gone' ? { physicalId: null } : {};
  await writeNode(context, node.id, 'ERROR', 'Check: Node is not ACTIVE.', gone);
  return true;
}

export const nodeCheck: Handler = {
  begin: async (run) => {
    const node = await run.node();
    if (!node.physicalId) {
      await writeNode(run.context, node.id, 'ERROR', 'Check: Node is not ACTIVE.');
      return failed('Node check failed.');
    }
    return (await lookAt(run, node))
      ? done('Node status is checked.')
      : { waitFor: 'region', step: 'begin' };
  },
};

interface RecoverInputs {
  readonly operation?: string;
  readonly operation_params?: Json;
  readonly check?: boolean;
}

const operationOf = ({ inputs }: Run): string =>
  ((inputs as RecoverInputs).operation ?? 'RECREATE').toUpperCase();

export const nodeRecover: Handler = {
  begin: async (run) => {
    const { context, inputs } = run;
    const node = await run.node();
    const operation = operationOf(run);
    if (operation !== 'RECREATE' && !node.physicalId)
      return recovered(run, { failure: 'Recovery failed' });
    if ((inputs as RecoverInputs).check && node.physicalId) {
      const found = await seen(run, node);
      if (found === undefined) return { waitFor: 'region', step: 'begin' };
      if (found === 'active') {
        await writeNode(context, node.id, 'ACTIVE', 'Recover: Node is ACTIVE.');
        return done('Node recovered successfully.');
      }
    }
    await writeNode(context, node.id, 'RECOVERING', 'Recovery in progress');
    run.memory['before'] = node.physicalId;
    return run.after(run.latency, operation === 'RECREATE' ? 'remove' : 'operate', nodeRecover);
  },
  operate: async (run) => {
    const node = await run.node();
    const params = (run.inputs as RecoverInputs).operation_params ?? {};
    const name = operationOf(run).toLowerCase();
    return recovered(
      run,
      await drive(run, node, {
        key: 'operate',
        step: 'operate',
        method: 'operate',
        arguments: [name, params],
      }),
    );
  },
  remove: async (run) => {
    const node = await run.node();
    const driven = await drive(run, node, { key: 'remove', step: 'remove', method: 'remove' });
    if ('outcome' in driven) return driven.outcome;
    if ('failure' in driven && run.inputs['force_recreate'] !== true) return recovered(run, driven);
    const changes = 'changes' in driven ? driven.changes : { physicalId: null };
    await store.changeNode(run.context.db, node, changes);
    return nodeRecover['create']!(run);
  },
  create: async (run) => {
    const node = await run.node();
    return recovered(
      run,
      await drive(run, node, { key: 'create', step: 'create', method: 'create' }),
    );
  },
};

async function recovered(run: Run, driven: Driven): Promise<Outcome> {
  if ('outcome' in driven) return driven.outcome;
  const { context, action, memory } = run;
  const node = await run.node();
  const isOk = 'changes' in driven;
  if (isOk) {
    const data = { ...(driven.changes.data ?? node.data) };
    delete data['recovery'];
    const isNew =
      driven.changes.physicalId !== undefined && driven.changes.physicalId !== memory['before'];
    const recovery = isNew ? { recovery: 'RECREATE' } : {};
    await writeNode(context, node.id, 'ACTIVE', 'Recovery succeeded', {
      ...driven.changes,
      data: { ...data, ...recovery },
    });
  } else await writeNode(context, node.id, 'ERROR', 'Recovery failed');
  if (node.clusterId && action.clusterId) await evaluate(context, node.clusterId, 'NODE_RECOVER');
  return isOk ? done('Node recovered successfully.') : failed('Node recover failed.');
}

export const nodeOperation: Handler = {
  begin: async (run) => {
    const { operation } = run.inputs as { operation: string };
    const node = await run.node();
    if (!node.physicalId) return failed(`Node operation '${operation}' failed.`);
    await writeNode(run.context, node.id, 'OPERATING', `Operation '${operation}' in progress`);
    return run.after(run.latency, 'operate', nodeOperation);
  },
  operate: async (run) => {
    const { operation, params = {} } = run.inputs as { operation: string; params?: Json };
    const node = await run.node();
    const driven = await drive(run, node, {
      key: 'operate',
      step: 'operate',
      method: 'operate',
      arguments: [operation, params],
    });
    if ('outcome' in driven) return driven.outcome;
    const isOk = 'changes' in driven;
    if (isOk) await writeNode(run.context, node.id, 'ACTIVE', `Operation '${operation}' succeeded`);
    else await writeNode(run.context, node.id, 'ERROR', driven.failure);
    return isOk
      ? done(`Node operation '${operation}' succeeded.`)
      : failed(`Node operation '${operation}' failed.`);
  },
};
