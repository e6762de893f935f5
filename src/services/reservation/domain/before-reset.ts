// Deletes the resources of leases and hosts in other services before a reset of Reservation,
// because nothing would refer to them afterwards.
import type { Context } from '../../../kernel/model.ts';
import { deleteAggregate, deleteFlavor, deleteServerGroup } from '../clients/compute.ts';
import { deleteTrust } from '../clients/identity.ts';
import {
  clearReservationProvider,
  deleteReservationClass,
  deleteReservationProvider,
  setReservableTrait,
} from '../clients/placement.ts';
import { listHosts } from '../store/hosts.ts';
import { listLeases } from '../store/leases.ts';
import { ignoreApiError } from './after-reset.ts';
import { removeFreepoolHost } from './freepool.ts';
import type { Reservation } from '../model.ts';
import { resourceTypeOf } from './resources/index.ts';

/** Ends all leases and unregisters all hosts. Errors of other services do not stop the rest. */
export async function releaseAll(context: Context): Promise<void> {
  const unfinished: Reservation[] = [];
  for (const { lease, reservations } of await listLeases(context.db)) {
    for (const reservation of reservations.filter(({ status }) => status !== 'deleted')) {
      const ending = resourceTypeOf(reservation.resourceType).end(context, { lease, reservation });
      if (!(await ending.catch(ignoreApiError))) unfinished.push(reservation);
    }
    await deleteTrust(context, lease.trustId);
  }
  for (const { hypervisorHostname, serviceName, trustId } of await listHosts(context.db)) {
    await clearReservationProvider(context, hypervisorHostname).catch(ignoreApiError);
    await deleteReservationProvider(context, hypervisorHostname).catch(ignoreApiError);
    await setReservableTrait(context, hypervisorHostname, false).catch(ignoreApiError);
    await removeFreepoolHost(context, serviceName).catch(ignoreApiError);
    await deleteTrust(context, trustId);
  }
  for (const reservation of unfinished)
    await deleteParts(context, reservation).catch(ignoreApiError);
}

/**
 * Deletes what a reservation normally keeps until its servers are gone, without waiting for them.
 * The aggregate of a host reservation stays if Compute still has servers in its zone.
 */
async function deleteParts(context: Context, { id, details }: Reservation): Promise<void> {
  if ('aggregateId' in details && details.aggregateId !== null)
    await deleteAggregate(context, details.aggregateId);
  if (!('demand' in details)) return;
  if (details.serverGroupId !== null) await deleteServerGroup(context, details.serverGroupId);
  await deleteFlavor(context, id);
  await deleteReservationClass(context, id);
}
