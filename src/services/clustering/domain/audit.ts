// What is inconsistent in Clustering: nodes whose servers do not exist, and sizes of clusters.
import type { Audited, Inconsistency } from '../../../emulator/audit/model.ts';
import { describeConsumers } from '../../../emulator/explain/consumers.ts';
import type { Context } from '../../../kernel/model.ts';
import type { Cluster, Node } from '../model.ts';
import { clusters, nodes, profiles } from '../store/index.ts';

/** Audits the clusters and the nodes of a region. */
export async function auditClustering(context: Context): Promise<Audited> {
  const { db } = context;
  const [allClusters, allNodes] = [await clusters.list(db), await nodes.list(db)];
  return {
    examined: { clusters: allClusters.length, nodes: allNodes.length },
    inconsistencies: [
      ...(await nodesWithoutServer(context, allNodes)),
      ...allClusters.flatMap((cluster) => clusterOutOfSize(cluster, allNodes)),
    ],
  };
}

/** Reports active nodes whose servers do not exist. Servers in other regions are not looked for. */
async function nodesWithoutServer(
  context: Context,
  all: readonly Node[],
): Promise<Inconsistency[]> {
  const { db, region } = context;
  const ofServers = new Set(
    (await profiles.list(db))
      .filter(({ type, spec }) => {
        const { region_name: elsewhere } = (spec.properties ?? {}) as { region_name?: string };
        return type.startsWith('os.nova.server') && (elsewhere ?? region.name) === region.name;
      })
      .map(({ id }) => id),
  );
  const active = all.filter(
    ({ status, physicalId, profileId }) =>
      status === 'ACTIVE' && physicalId !== null && ofServers.has(profileId),
  );
  const known = await describeConsumers(
    context,
    active.map(({ physicalId }) => physicalId!),
  );
  return active
    .filter(({ physicalId }) => !known.has(physicalId!))
    .map(({ id, name, physicalId }) => ({
      check: 'node_without_server',
      resource: { type: 'node', id, name },
      text: `Node ${name} is ACTIVE, but its server ${physicalId} does not exist.`,
      repair: [`openstack cluster node recover ${id}`],
    }));
}

/** Reports an active cluster with fewer or more nodes than its limits allow. */
function clusterOutOfSize(cluster: Cluster, all: readonly Node[]): Inconsistency[] {
  const { id, name, minSize, maxSize, status } = cluster;
  const size = all.filter(({ clusterId }) => clusterId === id).length;
  const isWithin = size >= minSize && (maxSize < 0 || size <= maxSize);
  if (isWithin || status !== 'ACTIVE') return [];
  const limits = maxSize < 0 ? `at least ${minSize}` : `${minSize} to ${maxSize}`;
  return [
    {
      check: 'cluster_out_of_size',
      resource: { type: 'cluster', id, name },
      text: `Cluster ${name} is ACTIVE with ${size} nodes; its size must be ${limits}.`,
      repair: [`openstack cluster resize --capacity ${size < minSize ? minSize : maxSize} ${id}`],
    },
  ];
}
