// CLUSTER_CREATE, CLUSTER_DELETE and CLUSTER_UPDATE.
import { SECOND } from '../../../../../kernel/clock.ts';
import type { Context } from '../../../../../kernel/model.ts';
import type { Action, Cluster, Json } from '../../../model.ts';
import * as store from '../../../store/index.ts';
import { childOf, createChildren } from '../../actions/dependencies.ts';
import {
  actionLatency,
  failed,
  goTo,
  succeeded,
  type Ending,
  type Steps,
} from '../../engine/step.ts';
import { typeOfPolicy } from '../../policies/index.ts';
import { childFailure, createNodes, removeNodes } from '../members.ts';
import { evaluate, updateCluster } from '../status.ts';
import { attachmentOf } from './policies.ts';

export const clusterCreate: Steps<Cluster> = {
  begin: async (context, action) => {
    await updateCluster(context, action.target, {
      status: 'CREATING',
      statusReason: 'Creation in progress',
    });
    return goTo('fill', actionLatency(context, action));
  },
  fill: async (context, action, cluster) => {
    return createNodes(context, action, cluster, cluster.desiredCapacity, 'filled');
  },
  filled: async (context, { action: kind, target, memory }) => {
    const isOk = memory.outcome === undefined;
    await evaluate(context, target, kind, {
      updatedAt: context.now,
      ...(isOk ? { createdAt: context.now } : {}),
    });
    return isOk ? succeeded('Cluster creation succeeded.') : failed('Failed in creating nodes.');
  },
};

export const clusterDelete: Steps<Cluster> = {
  begin: async (context, action, cluster) => {
    const { db } = context;
    const clusterId = cluster.id;
    const problem = await detachPolicies(context, action, cluster);
    if (problem) return failed(problem);
    await store.receivers.remove(db, { clusterId });
    await updateCluster(context, clusterId, {
      status: 'DELETING',
      statusReason: 'Deletion in progress.',
    });
    return goTo('empty', actionLatency(context, action));
  },
  empty: async (context, action, cluster) => {
    const ids = await store.idsOfMembers(context.db, cluster.id);
    return removeNodes(context, action, cluster, ids, 'emptied');
  },
  emptied: async (context, action) => {
    const { db } = context;
    const clusterId = action.target;
    if (action.memory.outcome) {
      await evaluate(context, clusterId, action.action);
      return failed(`Failed in deleting nodes: ${childFailure(action)}`);
    }
    // A client may have created a node in the meantime.
    if (await store.nodes.exists(db, { clusterId })) return goTo('empty');
    await store.registry.remove(db, { clusterId });
    await store.locks.remove(db, { target: clusterId });
    await store.clusters.remove(db, { id: clusterId });
    return succeeded('Cluster deletion succeeded.');
  },
};

/** Detaches all policies from a cluster. @returns why a policy could not be detached */
async function detachPolicies(
  context: Context,
  action: Action,
  cluster: Cluster,
): Promise<string | undefined> {
  const { db } = context;
  const bindings = await store.bindings.list(db, {
    where: { clusterId: cluster.id },
    sort: ['priority'],
  });
  for (const binding of bindings) {
    const attachment = await attachmentOf(context, action, cluster, binding.policyId);
    const { policy } = attachment;
    try {
      await typeOfPolicy(policy).detach?.(attachment, binding);
    } catch (error) {
      context.cloud.log.warn(
        { err: error, policy: policy.id },
        'a policy could not be detached from its cluster',
      );
      return `Unable to detach policy ${binding.id} before deletion.`;
    }
    await store.bindings.remove(db, { id: binding.id });
  }
  return undefined;
}

/** The fields of an update that change the cluster alone, and not its nodes. */
function clusterFields(inputs: Json): Partial<Cluster> {
  const { name, metadata, timeout, config, profile_only: only, new_profile_id: profileId } = inputs;
  return {
    ...(name === undefined ? {} : { name: name as string }),
    ...(metadata === undefined ? {} : { metadata: metadata as Json }),
    ...(timeout === undefined ? {} : { timeout: timeout as number }),
    ...(config === undefined ? {} : { config: config as Json }),
    ...(only === true && profileId !== undefined ? { profileId: profileId as string } : {}),
  };
}

export const clusterUpdate: Steps<Cluster> = {
  begin: async (context, action) => {
    const cluster = await updateCluster(context, action.target, {
      status: 'UPDATING',
      statusReason: 'Update in progress',
      ...clusterFields(action.inputs),
    });
    const wait = cluster.config['cluster.stop_timeout_before_update'];
    if (wait !== undefined && !Number.isInteger(Number(wait))) {
      await evaluate(context, cluster.id, action.action, { updatedAt: context.now });
      return failed('Invalid value for cluster.stop_timeout_before_update.');
    }
    return goTo('batch', actionLatency(context, action));
  },
  /** Updates the nodes of the next batch. Without a batch policy there is only one. */
  batch: async (context, action, cluster) => {
    const { inputs, data, memory, target } = action;
    if (memory.outcome) {
      await evaluate(context, target, action.action, { updatedAt: context.now });
      return failed('Failed in updating nodes.');
    }
    const plan =
      inputs['profile_only'] === true || inputs['new_profile_id'] === undefined
        ? []
        : (data.update?.plan ?? [await store.idsOfMembers(context.db, cluster.id)]);
    const { batches = 0 } = memory;
    const ids = plan[batches];
    if (!ids?.length) return finishUpdate(context, action, cluster);
    const members = await store.nodes.among(context.db, 'id', ids);
    const childInputs = { ...cluster.config, new_profile_id: inputs['new_profile_id'] };
    await createChildren(
      context,
      action,
      members.map((node) => childOf(action, node, 'NODE_UPDATE', { inputs: childInputs })),
    );
    const step = batches + 1 < plan.length ? 'pause' : 'batch';
    return { waitFor: 'children', step, remember: { batches: batches + 1 } };
  },
  pause: (_context, { data, memory }) => {
    const pause = memory.outcome ? 0 : (data.update?.pause_time ?? 0);
    return Promise.resolve(goTo('batch', pause * SECOND));
  },
};

async function finishUpdate(
  context: Context,
  { inputs, action: kind }: Action,
  cluster: Cluster,
): Promise<Ending> {
  const profileId = (inputs['new_profile_id'] as string | undefined) ?? cluster.profileId;
  await evaluate(context, cluster.id, kind, { profileId, updatedAt: context.now });
  return succeeded('Cluster update completed.');
}
