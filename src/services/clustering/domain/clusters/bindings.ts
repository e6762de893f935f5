// The policies that are attached to a cluster.
import type { Context } from '../../../../kernel/model.ts';
import type { Query } from '../../../../kernel/query.ts';
import type { Binding, Cluster, Policy } from '../../model.ts';
import * as store from '../../store/index.ts';
import { notBound } from '../refusals.ts';
import { bindingList } from '../requests/collections.ts';
import { clusterFor, policyFor } from '../requests/identities.ts';
import { boolParameter, readList } from '../requests/lists.ts';

/** A binding with both of its sides. */
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
  const { db, actor } = context;
  const { sort } = readList(bindingList, query, actor);
  const enabled = query.has('enabled') ? boolParameter(query, 'enabled', true) : undefined;
  const cluster = await clusterFor(context, identity);
  const bindings = await store.bindings.list(db, {
    where: { clusterId: cluster.id, enabled },
    sort: sort.map(({ field }) => field),
  });
  const ids = bindings.map(({ policyId }) => policyId);
  const policies = await store.policies.among(db, 'id', ids);
  const byId = new Map(policies.map((policy) => [policy.id, policy]));
  const names = query.all('policy_name');
  const types = query.all('policy_type');
  const found = bindings
    .map((binding) => ({ binding, cluster, policy: byId.get(binding.policyId)! }))
    .filter(
      ({ policy }) =>
        (!names.length || names.includes(policy.name)) &&
        (!types.length || types.includes(policy.type)),
    );
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
    clusterId: cluster.id,
    policyId: policy.id,
  });
  if (!binding) throw notBound(policyName, clusterName);
  return { binding, cluster, policy };
}
