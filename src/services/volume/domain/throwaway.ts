// The quotas and the volumes of throw-away projects.
import { badRequest } from '../../../kernel/errors.ts';
import { cancelAbout } from '../../../kernel/jobs/queue.ts';
import type { Context } from '../../../kernel/model.ts';
import type {
  RemovedCounts,
  ResourceOwners,
  ThrowawayHooks,
} from '../../../emulator/projects/hooks.ts';
import { deleteSettingsOf, deleteVolumesOf } from '../store/owned-rows.ts';
import { changeLimits, defaultLimits } from './quotas.ts';

/** The hooks of Volume. */
export const throwawayHooks: ThrowawayHooks = { setQuotas, remove: removeVolumes };

async function setQuotas(
  context: Context,
  projectId: string,
  limits: Readonly<Record<string, number>>,
): Promise<void> {
  const known = [...(await defaultLimits(context)).keys()];
  const unknown = Object.keys(limits).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw badRequest(`Volume has no quota '${unknown}'. Quotas: ${known.join(', ')}.`);
  await changeLimits(context, projectId, Object.entries(limits));
}

async function removeVolumes(
  { db }: Context,
  { projectIds }: ResourceOwners,
): Promise<RemovedCounts> {
  const { volumes, snapshots, others } = await deleteVolumesOf(db, projectIds);
  await deleteSettingsOf(db, projectIds);
  await cancelAbout(db, [...volumes, ...snapshots, ...others]);
  return { volumes: volumes.length, snapshots: snapshots.length };
}
