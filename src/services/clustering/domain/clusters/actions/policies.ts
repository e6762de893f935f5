// CLUSTER_ATTACH_POLICY, CLUSTER_DETACH_POLICY and CLUSTER_UPDATE_POLICY.
import { newUuid } from '../../../../../kernel/ids.ts';
import * as store from '../../../store/index.ts';
import { policyProperties, typeOfPolicy } from '../../policies/index.ts';
import type { Attachment } from '../../policies/types.ts';
import type { Binding } from '../../../model.ts';
import { done, failed, type Handler, type Run } from '../../engine/step.ts';
import { writeCluster } from '../status.ts';

async function attachmentOf(run: Run): Promise<Attachment> {
  const { context, inputs } = run;
  const cluster = await run.cluster();
  const profile = (await store.profiles.find(context.db, { id: cluster.profileId }))!;
  const policy = (await store.policies.find(context.db, { id: inputs['policy_id'] as string }))!;
  return {
    context,
    owner: await run.owner(cluster),
    cluster,
    profile,
    policy,
    properties: policyProperties(policy),
  };
}

const bindingOf = ({ context, inputs, action }: Run): Promise<Binding | undefined> =>
  store.bindings.find(context.db, {
    cluster_id: action.target,
    policy_id: inputs['policy_id'] as string,
  });

/** Why the policy does not go with what the cluster has. */
async function misfit(attachment: Attachment): Promise<string | undefined> {
  const { context, cluster, profile, policy } = attachment;
  const type = typeOfPolicy(policy);
  if (type.profileTypes && !type.profileTypes.includes(profile.type))
    return `Policy not applicable on profile type: ${profile.type}`;
  if (!type.singleton) return undefined;
  for (const { policyId } of await store.bindings.all(
    context.db,
    { cluster_id: cluster.id },
    'id',
  )) {
    const other = (await store.policies.find(context.db, { id: policyId }))!;
    if (other.type === policy.type)
      return `Only one instance of policy type (${policy.type}) can be attached to a cluster, but another instance (${policyId}) is found attached to the cluster (${cluster.id}) already.`;
  }
  return undefined;
}

export const attachPolicy: Handler = {
  begin: async (run) => {
    const { context, inputs } = run;
    if (await bindingOf(run)) return done('Policy already attached.');
    const attachment = await attachmentOf(run);
    const problem = await misfit(attachment);
    if (problem) return failed(problem);
    const { cluster, policy } = attachment;
    const type = typeOfPolicy(policy);
    const data = (await type.attach?.(attachment)) ?? {};
    const enabled = inputs['enabled'] !== false;
    const binding = {
      id: newUuid(),
      clusterId: cluster.id,
      policyId: policy.id,
      enabled,
      priority: type.priority,
      data,
      lastOp: null,
    };
    await store.bindings.insert(context.db, binding);
    await writeCluster(context, cluster.id, { updatedAt: context.now });
    return done('Policy attached.');
  },
};

export const detachPolicy: Handler = {
  begin: async (run) => {
    const binding = await bindingOf(run);
    if (!binding) return failed('Policy not attached.');
    const attachment = await attachmentOf(run);
    await typeOfPolicy(attachment.policy).detach?.(attachment, binding);
    await store.bindings.remove(run.context.db, { id: binding.id });
    await writeCluster(run.context, run.action.target, { updatedAt: run.context.now });
    return done('Policy detached.');
  },
};

export const updatePolicy: Handler = {
  begin: async (run) => {
    const binding = await bindingOf(run);
    if (!binding) return failed('Policy not attached.');
    const enabled = run.inputs['enabled'];
    if (typeof enabled === 'boolean' && enabled !== binding.enabled) {
      const attachment = await attachmentOf(run);
      await typeOfPolicy(attachment.policy).enabled?.(attachment, enabled);
      await store.bindings.update(run.context.db, { id: binding.id }, { enabled });
    }
    return done('Policy updated.');
  },
};
