// The check of an action by the policies of its cluster, in the order of their priorities.
import type { Context } from '../../../../kernel/model.ts';
import * as store from '../../store/index.ts';
import { actingOn } from '../delegation.ts';
import { policyProperties, typeOfPolicy } from './index.ts';
import type { Check, Phase } from './types.ts';
import type { Binding, Cluster, Node } from '../../model.ts';
import type { Run } from '../engine/step.ts';

/** A policy of the cluster that is about the action. */
async function checkFor(
  run: Run,
  context: Context,
  owner: Context,
  cluster: Cluster,
  binding: Binding,
): Promise<Omit<Check, 'phase'>> {
  const policy = (await store.policies.find(context.db, { id: binding.policyId }))!;
  const profile = (await store.profiles.find(context.db, { id: cluster.profileId }))!;
  const isNode = run.action.action.startsWith('NODE_');
  return {
    context,
    owner,
    cluster,
    profile,
    policy,
    binding,
    properties: policyProperties(policy),
    action: run.action,
    data: run.data,
    node: isNode ? await store.nodes.find(context.db, { id: run.action.target }) : undefined,
    isOk: run.memory['isOk'] === true,
    members: (): Promise<Node[]> => store.membersOf(context.db, cluster.id),
  };
}

/**
 * Checks an action. Policies write their decisions into the action's data.
 * @returns why it may not go on, with the name of the policy that says so; undefined where it may
 */
export async function checkPolicies(
  run: Run,
  phase: Phase,
  clusterId: string,
): Promise<string | undefined> {
  const { context, data, action } = run;
  const found = await store.enabledBindings(context.db, clusterId);
  const all = found.length
    ? await store.policies.among(
        context.db,
        'id',
        found.map(({ policyId }) => policyId),
      )
    : [];
  // An action that no policy looks at keeps its data as they are.
  if (!all.some((policy) => typeOfPolicy(policy).targets[phase].includes(action.action)))
    return undefined;
  const cluster = (await store.clusters.find(context.db, { id: clusterId }))!;
  const owner = await actingOn(context, cluster);
  const created = phase === 'AFTER' && run.memory['isOk'] ? run.memory.created : undefined;
  if (created) data.creation = { count: created.length, ...data.creation, nodes: created };
  data.status = 'NONE';
  data.reason = '';
  for (const binding of found) {
    const check = await checkFor(run, context, owner, cluster, binding);
    const type = typeOfPolicy(check.policy);
    if (!type.targets[phase].includes(action.action)) continue;
    if (type.concerns && !type.concerns(phase, action, check.properties)) continue;
    await (phase === 'BEFORE' ? type.before : type.after)?.(check);
    // The data keeps the policy's own words; its name goes into the reason of the failure.
    if ((data.status as string) === 'ERROR')
      return `Failed policy '${check.policy.name}': ${data.reason}`;
  }
  data.status = 'OK';
  data.reason ||= 'Completed policy checking.';
  return undefined;
}
