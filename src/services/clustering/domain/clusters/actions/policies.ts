// CLUSTER_ATTACH_POLICY, CLUSTER_DETACH_POLICY and CLUSTER_UPDATE_POLICY.
import { newUuid } from '../../../../../kernel/ids.ts';
import type { Context } from '../../../../../kernel/model.ts';
import type { Action, Binding, Cluster } from '../../../model.ts';
import * as store from '../../../store/index.ts';
import { actingOn } from '../../delegation.ts';
import { failed, succeeded, type Steps } from '../../engine/step.ts';
import { policyProperties, typeOfPolicy } from '../../policies/index.ts';
import type { Attachment } from '../../policies/types.ts';
import { updateCluster } from '../status.ts';

/** Reads everything about the attachment of a policy to the target of an action. */
export async function attachmentOf(
  context: Context,
  action: Action,
  cluster: Cluster,
  policyId = action.inputs['policy_id'] as string,
): Promise<Attachment> {
  const profile = (await store.profiles.find(context.db, { id: cluster.profileId }))!;
  const policy = (await store.policies.find(context.db, { id: policyId }))!;
  return {
    context,
    owner: await actingOn(context, cluster, action),
    cluster,
    profile,
    policy,
    properties: policyProperties(policy),
  };
}

const bindingOf = ({ db }: Context, { inputs, target }: Action): Promise<Binding | undefined> =>
  store.bindings.find(db, { clusterId: target, policyId: inputs['policy_id'] as string });

/** @returns why the policy cannot be attached to the cluster */
async function findIncompatibility(attachment: Attachment): Promise<string | undefined> {
  const { context, cluster, profile, policy } = attachment;
  const type = typeOfPolicy(policy);
  if (type.profileTypes && !type.profileTypes.includes(profile.type))
    return `Policy not applicable on profile type: ${profile.type}`;
  if (!type.singleton) return undefined;
  const bindings = await store.bindings.list(context.db, { where: { clusterId: cluster.id } });
  for (const { policyId } of bindings) {
    const other = (await store.policies.find(context.db, { id: policyId }))!;
    if (other.type === policy.type)
      return (
        `Only one instance of policy type (${policy.type}) can be attached to a cluster, but ` +
        `another instance (${policyId}) is found attached to the cluster (${cluster.id}) already.`
      );
  }
  return undefined;
}

export const attachPolicy: Steps<Cluster> = {
  begin: async (context, action, cluster) => {
    if (await bindingOf(context, action)) return succeeded('Policy already attached.');
    const attachment = await attachmentOf(context, action, cluster);
    const problem = await findIncompatibility(attachment);
    if (problem) return failed(problem);
    const { policy } = attachment;
    const type = typeOfPolicy(policy);
    const data = (await type.attach?.(attachment)) ?? {};
    await store.bindings.insert(context.db, {
      id: newUuid(),
      clusterId: cluster.id,
      policyId: policy.id,
      enabled: action.inputs['enabled'] !== false,
      priority: type.priority,
      data,
      lastOp: null,
    });
    await updateCluster(context, cluster.id, { updatedAt: context.now });
    return succeeded('Policy attached.');
  },
};

export const detachPolicy: Steps<Cluster> = {
  begin: async (context, action, cluster) => {
    const binding = await bindingOf(context, action);
    if (!binding) return failed('Policy not attached.');
    const attachment = await attachmentOf(context, action, cluster);
    await typeOfPolicy(attachment.policy).detach?.(attachment, binding);
    await store.bindings.remove(context.db, { id: binding.id });
    await updateCluster(context, action.target, { updatedAt: context.now });
    return succeeded('Policy detached.');
  },
};

export const updatePolicy: Steps<Cluster> = {
  begin: async (context, action, cluster) => {
    const binding = await bindingOf(context, action);
    if (!binding) return failed('Policy not attached.');
    const { enabled } = action.inputs;
    if (typeof enabled === 'boolean' && enabled !== binding.enabled) {
      const attachment = await attachmentOf(context, action, cluster);
      await typeOfPolicy(attachment.policy).setEnabled?.(attachment, enabled);
      await store.bindings.update(context.db, { id: binding.id }, { enabled });
    }
    return succeeded('Policy updated.');
  },
};
