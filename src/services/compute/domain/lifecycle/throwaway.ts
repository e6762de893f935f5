// The quotas and the servers of throw-away projects.
import { badRequest } from '../../../../kernel/errors.ts';
import { cancel, cancelAbout } from '../../../../kernel/jobs/queue.ts';
import type { Context } from '../../../../kernel/model.ts';
import type {
  RemovedCounts,
  ResourceOwners,
  ThrowawayHooks,
} from '../../../../emulator/projects/hooks.ts';
import { deleteResourcesOf } from '../../store/owned-rows.ts';
import { putQuotas } from '../../store/quotas.ts';
import { oldestDeletion } from '../../store/servers/purge.ts';
import { purgeKind } from './purge.ts';
import { defaultLimits } from '../quotas.ts';

/** The hooks of Compute. */
export const throwawayHooks: ThrowawayHooks = { setQuotas, remove: removeServers };

async function setQuotas(
  { db }: Context,
  projectId: string,
  limits: Readonly<Record<string, number>>,
): Promise<void> {
  const unknown = Object.keys(limits).find((name) => !Object.hasOwn(defaultLimits, name));
  if (unknown !== undefined) {
    const known = Object.keys(defaultLimits).join(', ');
    throw badRequest(`Compute has no quota '${unknown}'. Quotas: ${known}.`);
  }
  await putQuotas(db, projectId, '', limits);
}

async function removeServers({ db }: Context, owners: ResourceOwners): Promise<RemovedCounts> {
  const { servers, reservations, serverGroups, keypairs } = await deleteResourcesOf(db, owners);
  await cancelAbout(db, [...servers, ...reservations]);
  if ((await oldestDeletion(db)) === undefined) await cancel(db, purgeKind, '');
  return { servers: servers.length, server_groups: serverGroups, keypairs };
}
