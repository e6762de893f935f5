// Writes the statuses of clusters and nodes, and derives a cluster's status from its nodes.
import type { Context } from '../../../../kernel/model.ts';
import type { Cluster, ClusterStatus, Node, NodeStatus } from '../../model.ts';
import * as store from '../../store/index.ts';

/** The statuses of nodes that do not set `updated_at`. */
const transitional = new Set<NodeStatus>([
  'INIT',
  'CREATING',
  'UPDATING',
  'DELETING',
  'RECOVERING',
  'OPERATING',
]);

/** Updates fields of a cluster. */
export async function updateCluster(
  { db }: Context,
  id: string,
  fields: Partial<Cluster>,
): Promise<Cluster> {
  const cluster = (await store.clusters.find(db, { id }))!;
  return store.changeCluster(db, cluster, fields);
}

/**
 * Sets the status of a node. Its cluster gets the reason, too, and becomes WARNING if the node is
 * in ERROR. Returns the changed node. Upstream: node_update in senlin/db/sqlalchemy/api.py.
 */
export async function setNodeStatus(
  { db, now }: Context,
  node: Node,
  status: NodeStatus,
  statusReason: string,
  fields: Partial<Node> = {},
): Promise<Node> {
  const times = transitional.has(status) ? {} : { updatedAt: now };
  const changed = await store.changeNode(db, node, { ...times, ...fields, status, statusReason });
  const { clusterId } = changed;
  const cluster = clusterId ? await store.clusters.find(db, { id: clusterId }) : undefined;
  if (cluster)
    await store.changeCluster(db, cluster, {
      statusReason: `Node ${changed.name}: ${statusReason}`,
      ...(status === 'ERROR' ? { status: 'WARNING' } : {}),
    });
  return changed;
}

/**
 * Sets the status of a cluster by the number of its active nodes.
 * @param operation what has been done to the cluster; the reason names it
 */
export async function evaluate(
  { db }: Context,
  clusterId: string,
  operation: string,
  fields: Partial<Cluster> = {},
): Promise<void> {
  const cluster = await store.clusters.find(db, { id: clusterId });
  if (!cluster) return;
  const active = await store.countMembers(db, clusterId, 'ACTIVE');
  await store.changeCluster(db, cluster, {
    ...fields,
    ...statusFor({ ...cluster, ...fields }, active, operation),
  });
}

function statusFor(
  { minSize, maxSize, desiredCapacity }: Cluster,
  active: number,
  operation: string,
): Pick<Cluster, 'status' | 'statusReason'> {
  const result = (status: ClusterStatus, comparison: string) => ({
    status,
    statusReason: `${operation}: number of active nodes is ${comparison}.`,
  });
  if (active < minSize) return result('ERROR', `below min_size (${minSize})`);
  if (active < desiredCapacity)
    return result('WARNING', `below desired_capacity (${desiredCapacity})`);
  if (maxSize < 0 || active <= maxSize)
    return result('ACTIVE', `equal or above desired_capacity (${desiredCapacity})`);
  return result('WARNING', `above max_size (${maxSize})`);
}
