// Clusters: their records, their actions and operations, and what is collected from their nodes.
import { ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import { inRegionTransaction } from '../../../kernel/context.ts';
import type { ClusteringCall } from '../call.ts';
import { completeLifecycle } from '../domain/actions/actions.ts';
import { firstAt, parsePath } from '../domain/clusters/attributes.ts';
import { listBindings, showBinding } from '../domain/clusters/bindings.ts';
import { clusterActions, dataOf, type Asked } from '../domain/clusters/action-requests.ts';
import * as domain from '../domain/clusters/clusters.ts';
import { clusterFor } from '../domain/requests/identities.ts';
import { detailsOf } from '../domain/nodes/details.ts';
import { clusterOperation } from '../domain/requests/operations.ts';
import type { Cluster, Json } from '../model.ts';
import { invalid } from '../domain/refusals.ts';
import { clusterList } from '../domain/requests/collections.ts';
import { readList } from '../domain/requests/lists.ts';
import { onlyKey } from '../domain/requests/objects.ts';
import * as store from '../store/index.ts';
import { bindingView, clusterView, nodeView } from '../views/resources.ts';
import { isForced, queued } from './queued.ts';

async function views({ db }: ClusteringCall, clusters: readonly Cluster[]): Promise<object[]> {
  const ids = clusters.map(({ id }) => id);
  const names = await store.namesOf(
    db,
    'clustering_profiles',
    clusters.map(({ profileId }) => profileId),
  );
  const nodes = await store.idsByCluster(db, 'clustering_nodes', ids);
  const bindings = await store.idsByCluster(db, 'clustering_bindings', ids);
  return clusters.map((cluster) =>
    clusterView(cluster, {
      profileName: names.get(cluster.profileId)!,
      nodes: nodes.get(cluster.id)!,
      bindings: bindings.get(cluster.id)!,
    }),
  );
}

const named = (call: ClusteringCall): Promise<Cluster> =>
  clusterFor(call, call.params['cluster_id']!);

/** GET /v1/clusters */
export async function list(call: ClusteringCall): Promise<Reply> {
  const found = await store.clusters.list(call.db, readList(clusterList, call.query, call.actor));
  return ok({ clusters: await views(call, found) });
}

/** POST /v1/clusters */
export async function create(call: ClusteringCall): Promise<Reply> {
  const { record, action } = await domain.createCluster(call, call.body, call.version);
  return queued(call, action, { cluster: (await views(call, [record]))[0] });
}

/** GET /v1/clusters/{cluster_id} */
export async function show(call: ClusteringCall): Promise<Reply> {
  return ok({ cluster: (await views(call, [await named(call)]))[0] });
}

/** PATCH /v1/clusters/{cluster_id} */
export async function update(call: ClusteringCall): Promise<Reply> {
  const { record, action } = await domain.updateCluster(
    call,
    call.params['cluster_id']!,
    call.body,
    call.version,
  );
  return queued(call, action, { cluster: (await views(call, [record]))[0] });
}

/** DELETE /v1/clusters/{cluster_id} */
export async function remove(call: ClusteringCall): Promise<Reply> {
  return queued(
    call,
    await domain.deleteCluster(call, call.params['cluster_id']!, isForced(call)),
    null,
  );
}

const queue = async (
  call: ClusteringCall,
  cluster: Cluster,
  { kind, inputs, name }: Asked,
): Promise<Reply> =>
  queued(
    call,
    await domain.actOnCluster(
      call,
      cluster,
      kind,
      inputs,
      name ? { name: `${name}_${cluster.id.slice(0, 8)}` } : {},
    ),
  );

/** POST /v1/clusters/{cluster_id}/actions */
export async function act(call: ClusteringCall): Promise<Reply> {
  const [name, value] = onlyKey(call.body, {
    none: 'No action specified',
    several: 'Multiple actions specified',
  });
  if (name === 'complete_lifecycle') {
    requireVersion(call, '1.9');
    return queued(call, { id: await completeLifecycle(call, dataOf(value), call.version) });
  }
  if (!Object.hasOwn(clusterActions, name))
    throw invalid(`Unrecognized action '${name}' specified`);
  const { since, read } = clusterActions[name]!;
  if (since) requireVersion(call, since);
  const given = dataOf(value);
  const asked = await read({
    context: call,
    find: () => named(call),
    identity: call.params['cluster_id']!,
    given,
    version: call.version,
  });
  return queue(call, await named(call), asked);
}

/** @throws 400 */
function requireVersion(
  { version: at }: ClusteringCall,
  version: Parameters<ClusteringCall['version']['has']>[0],
): void {
  if (!at.has(version))
    throw invalid(
      `API version '${at.name}' is not supported on this method.`,
      'MethodVersionNotFound',
    );
}

/** POST /v1/clusters/{cluster_id}/ops */
export async function operate(call: ClusteringCall): Promise<Reply> {
  const [name, value] = onlyKey(call.body, {
    none: 'No operation specified',
    several: 'Multiple operations specified',
  });
  const cluster = await named(call);
  return queue(call, cluster, await clusterOperation(call, cluster, name, value));
}

/**
 * GET /v1/clusters/{cluster_id}/attrs/{path}, in no transaction: details of nodes may be in other
 * regions
 */
export async function collect(call: ClusteringCall): Promise<Reply> {
  const text = call.params['path'] ?? '';
  const path = parsePath(text);
  const { members, names } = await inRegionTransaction(call, call.region, async (context) => {
    const { id } = await clusterFor(context, call.params['cluster_id']!);
    const found = await store.membersOf(context.db, id);
    return {
      members: found,
      names: await store.namesOf(
        context.db,
        'clustering_profiles',
        found.map(({ profileId }) => profileId),
      ),
    };
  });
  const collected: Json[] = [];
  for (const node of members) {
    const details =
      text.includes('details') && node.physicalId ? await detailsOf(call, node) : undefined;
    const value = firstAt(nodeView(node, call.version, names.get(node.profileId)!, details), path);
    if (value !== undefined) collected.push({ id: node.id, value });
  }
  return ok({ cluster_attributes: collected });
}

/** GET /v1/clusters/{cluster_id}/policies */
export async function listPolicies(call: ClusteringCall): Promise<Reply> {
  const found = await listBindings(call, call.params['cluster_id']!, call.query);
  return ok({
    cluster_policies: found.map(({ binding, cluster, policy }) =>
      bindingView(binding, cluster, policy),
    ),
  });
}

/** GET /v1/clusters/{cluster_id}/policies/{policy_id} */
export async function showPolicy(call: ClusteringCall): Promise<Reply> {
  const { binding, cluster, policy } = await showBinding(
    call,
    call.params['cluster_id']!,
    call.params['policy_id']!,
  );
  return ok({ cluster_policy: bindingView(binding, cluster, policy) });
}
