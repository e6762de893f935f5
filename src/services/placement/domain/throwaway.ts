// Deletes the allocations of a throw-away project.
import type { Context } from '../../../kernel/model.ts';
import type { RemovedCounts, ResourceOwners } from '../../../emulator/projects/hooks.ts';
import { consumersOfProjects } from '../store/consumers.ts';
import { deleteAllocationsIfAny } from './allocations.ts';

export async function removeAllocations(
  { db }: Context,
  { projectIds }: ResourceOwners,
): Promise<RemovedCounts> {
  const uuids = await consumersOfProjects(db, projectIds);
  for (const uuid of uuids) await deleteAllocationsIfAny(db, uuid);
  return { consumers: uuids.length };
}
