// The policies that are attached to a cluster.
import type { Query } from '../../../kernel/query.ts';
import type { Work } from '../../../kernel/model.ts';
import * as store from '../store/index.ts';
import { clusterFor, policyFor } from './identities.ts';
import type { Binding, Cluster, Policy } from './records.ts';
import { notBound } from './refusals.ts';
import { bindingList } from './requests/collections.ts';
import { boolParameter, readList } from './requests/lists.ts';

export interface Bound {
  readonly binding: Binding;
  readonly cluster: Cluster;
  readonly policy: Policy;
}

/** @throws 400, 404 */
export async function listBindings(work: Work, identity: string, query: Query): Promise<Bound[]> {
  const { sort } = readList(bindingList, query, work.actor);
  const enabled = query.has('enabled') ? boolParameter(query, 'enabled', true) : undefined;
  const cluster = await clusterFor(work, identity);
  const bindings = await store.bindings.all(work.db, { cluster_id: cluster.id }, ...sort.map(({ column }) => column));
  const policies = await store.policies.among(work.db, 'id', bindings.map(({ policyId }) => policyId)); // prettier-ignore
  const byId = new Map(policies.map((policy) => [policy.id, policy]));
  const names = query.all('policy_name');
  const types = query.all('policy_type');
  const found = bindings
    .map((binding) => ({ binding, cluster, policy: byId.get(binding.policyId)! }))
    .filter(({ binding, policy }) => {
      const isEnabled = enabled === undefined || binding.enabled === enabled;
      return isEnabled && (!names.length || names.includes(policy.name)) && (!types.length || types.includes(policy.type));
    });
  return sort[0]?.descending ? found.toReversed() : found;
}

/** @throws 404 */
export async function showBinding(work: Work, clusterName: string, policyName: string): Promise<Bound> {
  const cluster = await clusterFor(work, clusterName);
  const policy = await policyFor(work, policyName);
  const binding = await store.bindings.find(work.db, { cluster_id: cluster.id, policy_id: policy.id });
  if (!binding) throw notBound(policyName, clusterName);
  return { binding, cluster, policy };
}
