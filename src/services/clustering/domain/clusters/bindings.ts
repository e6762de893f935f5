// The policies that are attached to a cluster.
import type { Query } from '../../../../kernel/query.ts';
import type { Context } from '../../../../kernel/model.ts';
import * as store from '../../store/index.ts';
import { clusterFor, policyFor } from '../requests/identities.ts';
import type { Binding, Cluster, Policy } from '../../model.ts';
import { notBound } from '../refusals.ts';
import { bindingList } from '../requests/collections.ts';
import { boolParameter, readList } from '../requests/lists.ts';

export interface Bound {
  readonly binding: Binding;
  readonly cluster: Cluster;
  readonly policy: Policy;
}

/** @throws 400, 404 */
export async function listBindings(
  context: Context,
  identity: string,
  query: Query,
): Promise<Bound[]> {
  const { sort } = readList(bindingList, query, context.actor);
  const enabled = query.has('enabled') ? boolParameter(query, 'enabled', true) : undefined;
  const cluster = await clusterFor(context, identity);
  const bindings = await store.bindings.all(
    context.db,
    { cluster_id: cluster.id },
    ...sort.map(({ column }) => column),
  );
  const policies = await store.policies.among(
    context.db,
    'id',
    bindings.map(({ policyId }) => policyId),
  );
  const byId = new Map(policies.map((policy) => [policy.id, policy]));
  const names = query.all('policy_name');
  const types = query.all('policy_type');
  const found = bindings
    .map((binding) => ({ binding, cluster, policy: byId.get(binding.policyId)! }))
    .filter(({ binding, policy }) => {
      const isEnabled = enabled === undefined || binding.enabled === enabled;
      return (
        isEnabled &&
        (!names.length || names.includes(policy.name)) &&
        (!types.length || types.includes(policy.type))
      );
    });
  return sort[0]?.descending ? found.toReversed() : found;
}

/** @throws 404 */
export async function showBinding(
  context: Context,
  clusterName: string,
  policyName: string,
): Promise<Bound> {
  const cluster = await clusterFor(context, clusterName);
  const policy = await policyFor(context, policyName);
  const binding = await store.bindings.find(context.db, {
    cluster_id: cluster.id,
    policy_id: policy.id,
  });
  if (!binding) throw notBound(policyName, clusterName);
  return { binding, cluster, policy };
}
