// The status of clusters and nodes, and how that of a cluster follows from its nodes.
import type { Context } from '../../../../kernel/model.ts';
import * as store from '../../store/index.ts';
import type { Cluster, Node } from '../../model.ts';

const progress = new Set(['INIT', 'CREATING', 'UPDATING', 'DELETING', 'RECOVERING', 'OPERATING']);

/** Writes fields over a cluster as it is now. */
export async function writeCluster(
  { db }: Context,
  id: string,
  fields: Partial<Cluster>,
): Promise<Cluster> {
  const cluster = (await store.clusters.find(db, { id }))!;
  return store.changeCluster(db, cluster, fields);
}

/**
 * Writes a status over a node. Its cluster has the reason too, and a node in error makes it a
 * warning. Upstream: node_update in senlin/db/sqlalchemy/api.py.
 */
export async function writeNode(
  context: Context,
  id: string,
  status: string,
  statusReason: string,
  fields: Partial<Node> = {},
): Promise<Node> {
  const { db, now } = context;
  const node = (await store.nodes.find(db, { id }))!;
  const times = progress.has(status) ? {} : { updatedAt: now };
  const changed = await store.changeNode(db, node, { ...times, ...fields, status, statusReason });
  if (!changed.clusterId) return changed;
  const cluster = await store.clusters.find(db, { id: changed.clusterId });
  if (cluster)
    await store.changeCluster(db, cluster, {
      statusReason: `Node ${changed.name}: ${statusReason}`,
      ...(status === 'ERROR' ? { status: 'WARNING' } : {}),
    });
  return changed;
}

/**
 * Sets the status of a cluster by its active nodes.
 * @param operation what has been done, for the reason
 */
export async function evaluate(
  context: Context,
  clusterId: string,
  operation: string,
  fields: Partial<Cluster> = {},
): Promise<void> {
  const cluster = await store.clusters.find(context.db, { id: clusterId });
  if (!cluster) return;
  const active = await store.nodes.count(context.db, { cluster_id: clusterId, status: 'ACTIVE' });
  await store.changeCluster(context.db, cluster, {
    ...fields,
    ...statusFor({ ...cluster, ...fields }, active, operation),
  });
}

function statusFor(
  { minSize, maxSize, desiredCapacity }: Cluster,
  active: number,
  operation: string,
): Pick<Cluster, 'status' | 'statusReason'> {
  const told = (status: string, words: string) => ({
    status,
    statusReason: `${operation}: number of active nodes is ${words}.`,
  });
  if (active < minSize) return told('ERROR', `below min_size (${minSize})`);
  if (active < desiredCapacity)
    return told('WARNING', `below desired_capacity (${desiredCapacity})`);
  if (maxSize < 0 || active <= maxSize)
    return told('ACTIVE', `equal or above desired_capacity (${desiredCapacity})`);
  return told('WARNING', `above max_size (${maxSize})`);
}
