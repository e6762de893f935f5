// Deletes the routings and bindings of a throw-away project. The services of each region delete the
// resources that they lead to.
import type { Context } from '../../../kernel/model.ts';
import type { RemovedCounts, ResourceOwners } from '../../../emulator/projects/hooks.ts';
import { deleteRowsOf } from '../store/owned-rows.ts';

export const removeRoutings = (
  { db }: Context,
  { projectIds }: ResourceOwners,
): Promise<RemovedCounts> => deleteRowsOf(db, projectIds);
