// Clusters, their actions and operations, the attributes of their nodes, and their policies.
import { ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import { inRegionTransaction } from '../../../kernel/context.ts';
import type { ClusteringCall } from '../call.ts';
import { completeLifecycle } from '../domain/actions/actions.ts';
import { firstAt, parsePath } from '../domain/clusters/attributes.ts';
import { listBindings, showBinding } from '../domain/clusters/bindings.ts';
import {
  clusterActions,
  readData,
  type ActionRequest,
} from '../domain/clusters/action-requests.ts';
import * as domain from '../domain/clusters/clusters.ts';
import { clusterFor } from '../domain/requests/identities.ts';
import { detailsOf } from '../domain/nodes/details.ts';
import { readClusterOperation } from '../domain/requests/operations.ts';
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
  const profileIds = clusters.map(({ profileId }) => profileId);
  const names = await store.profileNames(db, profileIds);
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

const idOf = (call: ClusteringCall): string => call.params['cluster_id']!;

/** Finds the cluster in the path. @throws 400, 404 */
const target = (call: ClusteringCall): Promise<Cluster> => clusterFor(call, idOf(call));

/** GET /v1/clusters */
export async function list(call: ClusteringCall): Promise<Reply> {
  const page = readList(clusterList, call.query, call.actor);
  return ok({ clusters: await views(call, await store.listPage(call.db, store.clusters, page)) });
}

/** POST /v1/clusters */
export async function create(call: ClusteringCall): Promise<Reply> {
  const { record, action } = await domain.createCluster(call, call.body, call.version);
  return queued(call, action, { cluster: (await views(call, [record]))[0] });
}

/** GET /v1/clusters/{cluster_id} */
export async function show(call: ClusteringCall): Promise<Reply> {
  return ok({ cluster: (await views(call, [await target(call)]))[0] });
}

/** PATCH /v1/clusters/{cluster_id} */
export async function update(call: ClusteringCall): Promise<Reply> {
  const { body, version } = call;
  const { record, action } = await domain.updateCluster(call, idOf(call), body, version);
  return queued(call, action, { cluster: (await views(call, [record]))[0] });
}

/** DELETE /v1/clusters/{cluster_id} */
export async function remove(call: ClusteringCall): Promise<Reply> {
  return queued(call, await domain.deleteCluster(call, idOf(call), isForced(call)), null);
}

async function queue(
  call: ClusteringCall,
  cluster: Cluster,
  { kind, inputs, name }: ActionRequest,
): Promise<Reply> {
  const options = name ? { name: `${name}_${cluster.id.slice(0, 8)}` } : {};
  return queued(call, await domain.queueClusterAction(call, cluster, kind, inputs, options));
}

/** POST /v1/clusters/{cluster_id}/actions */
export async function act(call: ClusteringCall): Promise<Reply> {
  const [name, value] = onlyKey(call.body, {
    none: 'No action specified',
    several: 'Multiple actions specified',
  });
  if (name === 'complete_lifecycle') {
    requireVersion(call, '1.9');
    return queued(call, { id: await completeLifecycle(call, readData(value), call.version) });
  }
  if (!Object.hasOwn(clusterActions, name))
    throw invalid(`Unrecognized action '${name}' specified`);
  const { since, read } = clusterActions[name]!;
  if (since) requireVersion(call, since);
  const given = readData(value);
  const request = await read({
    context: call,
    find: () => target(call),
    identity: idOf(call),
    given,
    version: call.version,
  });
  return queue(call, await target(call), request);
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
  const cluster = await target(call);
  return queue(call, cluster, await readClusterOperation(call, cluster, name, value));
}

/**
 * GET /v1/clusters/{cluster_id}/attrs/{path}, outside of a transaction: nodes may be in other
 * regions
 */
export async function collect(call: ClusteringCall): Promise<Reply> {
  const text = call.params['path'] ?? '';
  const path = parsePath(text);
  const { members, names } = await inRegionTransaction(call, call.region, async (context) => {
    const { id } = await clusterFor(context, idOf(call));
    const found = await store.membersOf(context.db, id);
    const profileIds = found.map(({ profileId }) => profileId);
    return { members: found, names: await store.profileNames(context.db, profileIds) };
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
  const found = await listBindings(call, idOf(call), call.query);
  return ok({
    cluster_policies: found.map(({ binding, cluster, policy }) =>
      bindingView(binding, cluster, policy),
    ),
  });
}

/** GET /v1/clusters/{cluster_id}/policies/{policy_id} */
export async function showPolicy(call: ClusteringCall): Promise<Reply> {
  const policyName = call.params['policy_id']!;
  const { binding, cluster, policy } = await showBinding(call, idOf(call), policyName);
  return ok({ cluster_policy: bindingView(binding, cluster, policy) });
}
