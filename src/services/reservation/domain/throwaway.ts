// Deletes the leases of a throw-away project, after Compute has deleted their servers.
import type { Context } from '../../../kernel/model.ts';
import type { RemovedCounts, ResourceOwners } from '../../../emulator/projects/hooks.ts';
import { listLeases } from '../store/leases.ts';
import { runDeletion } from './leases/lifecycle.ts';

export async function removeLeases(
  context: Context,
  { projectIds }: ResourceOwners,
): Promise<RemovedCounts> {
  let count = 0;
  for (const projectId of projectIds)
    for (const lease of await listLeases(context.db, projectId)) {
      await runDeletion(context, lease);
      count++;
    }
  return { leases: count };
}
