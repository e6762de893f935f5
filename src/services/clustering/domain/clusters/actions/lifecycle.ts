// CLUSTER_CREATE, CLUSTER_DELETE and CLUSTER_UPDATE.
import { SECOND } from '../../../../../kernel/clock.ts';
import * as store from '../../../store/index.ts';
import { policyProperties, typeOfPolicy } from '../../policies/index.ts';
import type { Cluster, Json } from '../../../model.ts';
import { spawn } from '../../actions/queue.ts';
import { childFailure, childOf, createNodes, deleteNodes } from '../members.ts';
import { done, failed, type Handler, type Outcome, type Run } from '../../engine/step.ts';
import { evaluate, writeCluster } from '../status.ts';

export const clusterCreate: Handler = {
  begin: async (run) => {
    await writeCluster(run.context, run.action.target, {
      status: 'CREATING',
      statusReason: 'Creation in progress',
    });
    return run.after(run.latency, 'fill', clusterCreate);
  },
  fill: async (run) => {
    const cluster = await run.cluster();
    return createNodes(run, cluster, cluster.desiredCapacity, 'filled');
  },
  filled: async ({ context, action, memory }) => {
    const isOk = memory.outcome === undefined;
    await evaluate(context, action.target, action.action, {
      updatedAt: context.now,
      ...(isOk ? { createdAt: context.now } : {}),
    });
    return isOk ? done('Cluster creation succeeded.') : failed('Failed in creating nodes.');
  },
};

export const clusterDelete: Handler = {
  begin: async (run) => {
    const { context } = run;
    const cluster = await run.cluster();
    const problem = await detachAll(run, cluster);
    if (problem) return failed(problem);
    await store.receivers.remove(context.db, { cluster_id: cluster.id });
    await writeCluster(context, cluster.id, {
      status: 'DELETING',
      statusReason: 'Deletion in progress.',
    });
    return run.after(run.latency, 'empty', clusterDelete);
  },
  empty: async (run) => {
    const cluster = await run.cluster();
    return deleteNodes(
      run,
      cluster,
      await store.idsOfMembers(run.context.db, cluster.id),
      'emptied',
    );
  },
  emptied: async (run) => {
    const { context, action, memory } = run;
    if (memory.outcome) {
      await evaluate(context, action.target, action.action);
      return failed(`Failed in deleting nodes: ${childFailure(run)}`);
    }
    // A node may have come in the meantime.
    if (await store.nodes.count(context.db, { cluster_id: action.target }))
      return clusterDelete['empty']!(run);
    await store.registry.remove(context.db, { cluster_id: action.target });
    await store.locks.remove(context.db, { target: action.target });
    await store.clusters.remove(context.db, { id: action.target });
    return done('Cluster deletion succeeded.');
  },
};

/** @returns why a policy does not let go */
async function detachAll(run: Run, cluster: Cluster): Promise<string | undefined> {
  const { context } = run;
  for (const binding of await store.bindings.all(
    context.db,
    { cluster_id: cluster.id },
    'priority',
    'id',
  )) {
    const policy = (await store.policies.find(context.db, { id: binding.policyId }))!;
    const profile = (await store.profiles.find(context.db, { id: cluster.profileId }))!;
    const owner = await run.owner(cluster);
    const fresh = await run.cluster();
    const attachment = {
      context,
      owner,
      cluster: fresh,
      profile,
      policy,
      properties: policyProperties(policy),
    };
    try {
      await typeOfPolicy(policy).detach?.(attachment, binding);
    } catch (error) {
      context.cloud.log.warn(
        { err: error, policy: policy.id },
        'a policy did not let go of its cluster',
      );
      return `Unable to detach policy ${binding.id} before deletion.`;
    }
    await store.bindings.remove(context.db, { id: binding.id });
  }
  return undefined;
}

/** The fields of an update that are the cluster's own. */
function ownFields(inputs: Json): Partial<Cluster> {
  const { name, metadata, timeout, config, profile_only: only, new_profile_id: profileId } = inputs;
  return {
    ...(name === undefined ? {} : { name: name as string }),
    ...(metadata === undefined ? {} : { metadata: metadata as Json }),
    ...(timeout === undefined ? {} : { timeout: timeout as number }),
    ...(config === undefined ? {} : { config: config as Json }),
    ...(only === true && profileId !== undefined ? { profileId: profileId as string } : {}),
  };
}

export const clusterUpdate: Handler = {
  begin: async (run) => {
    const { context, inputs, action } = run;
    const cluster = await writeCluster(context, action.target, {
      status: 'UPDATING',
      statusReason: 'Update in progress',
      ...ownFields(inputs),
    });
    const wait = cluster.config['cluster.stop_timeout_before_update'];
    if (wait !== undefined && !Number.isInteger(Number(wait))) {
      await evaluate(context, cluster.id, action.action, { updatedAt: context.now });
      return failed('Invalid value for cluster.stop_timeout_before_update.');
    }
    return run.after(run.latency, 'batch', clusterUpdate);
  },
  /** One batch of nodes after the other; without a batch policy, all at once. */
  batch: async (run) => {
    const { context, inputs, data, memory, action } = run;
    if (memory.outcome) {
      await evaluate(context, action.target, action.action, { updatedAt: context.now });
      return failed('Failed in updating nodes.');
    }
    const cluster = await run.cluster();
    const plan =
      inputs['profile_only'] === true || inputs['new_profile_id'] === undefined
        ? []
        : (data.update?.plan ?? [await store.idsOfMembers(context.db, cluster.id)]);
    const at = (memory['batches'] as number | undefined) ?? 0;
    if (at >= plan.length || !plan[at]!.length) return updated(run, cluster);
    memory['batches'] = at + 1;
    const members = await store.nodes.among(context.db, 'id', plan[at]!);
    const childInputs = { ...cluster.config, new_profile_id: inputs['new_profile_id'] };
    await spawn(
      context,
      action,
      members.map((node) => childOf(run, node, 'NODE_UPDATE', { inputs: childInputs })),
    );
    return { waitFor: 'children', step: at + 1 < plan.length ? 'pause' : 'batch' };
  },
  pause: (run) =>
    run.after(
      run.memory.outcome ? 0 : (run.data.update?.pause_time ?? 0) * SECOND,
      'batch',
      clusterUpdate,
    ),
};

async function updated({ context, inputs, action }: Run, cluster: Cluster): Promise<Outcome> {
  const profileId = (inputs['new_profile_id'] as string | undefined) ?? cluster.profileId;
  await evaluate(context, cluster.id, action.action, { profileId, updatedAt: context.now });
  return done('Cluster update completed.');
}
