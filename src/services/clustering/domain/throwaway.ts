// Deletes the clusters of a throw-away project. Compute deletes their servers, and Identity their
// trusts.
import { cancelAbout } from '../../../kernel/jobs/queue.ts';
import type { Context } from '../../../kernel/model.ts';
import type { RemovedCounts, ResourceOwners } from '../../../emulator/projects/hooks.ts';
import { deleteResourcesOf } from '../store/owned-rows.ts';

export async function removeClusters(
  { db }: Context,
  { projectIds }: ResourceOwners,
): Promise<RemovedCounts> {
  const { clusters, nodes, actions, policies, profiles, receivers } = await deleteResourcesOf(
    db,
    projectIds,
  );
  await cancelAbout(db, [...clusters, ...nodes, ...actions]);
  return {
    clusters: clusters.length,
    nodes: nodes.length,
    actions: actions.length,
    policies: policies.length,
    profiles: profiles.length,
    receivers: receivers.length,
  };
}
