// What leases and hosts have in other services, when Reservation alone is to be as new: all of it
// goes, for nobody would know of it any more.
import type { Context } from '../../../kernel/model.ts';
import { deleteAggregate, deleteFlavor, deleteServerGroup } from '../clients/compute.ts';
import { dropTrust } from '../clients/identity.ts';
import {
  clearReservationProvider,
  deleteReservationClass,
  deleteReservationProvider,
} from '../clients/placement.ts';
import { listHosts } from '../store/hosts.ts';
import { listLeases } from '../store/leases.ts';
import { unlessRefused } from './after-reset.ts';
import { leaveFreepool } from './freepool.ts';
import type { Reservation } from '../model.ts';
import { resourceTypeOf } from './resources/index.ts';

/**
 * Ends all leases and gives all hosts back. What another service refuses does not keep the rest
 * from it.
 */
export async function giveBack(context: Context): Promise<void> {
  const left: Reservation[] = [];
  for (const { lease, reservations } of await listLeases(context.db)) {
    for (const reservation of reservations.filter(({ status }) => status !== 'deleted')) {
      const ending = resourceTypeOf(reservation.resourceType).end(context, { lease, reservation });
      if (!(await ending.catch(unlessRefused))) left.push(reservation);
    }
    await dropTrust(context, lease.trustId);
  }
  for (const { hypervisorHostname, serviceName, trustId } of await listHosts(context.db)) {
    await clearReservationProvider(context, hypervisorHostname).catch(unlessRefused);
    await deleteReservationProvider(context, hypervisorHostname).catch(unlessRefused);
    await leaveFreepool(context, serviceName).catch(unlessRefused);
    await dropTrust(context, trustId);
  }
  for (const reservation of left) await dropParts(context, reservation).catch(unlessRefused);
}

/**
 * Drops what a reservation keeps until its servers are gone: here nobody waits for them. The
 * aggregate of whole hosts stays where Compute still has servers in its zone.
 */
async function dropParts(context: Context, { id, details }: Reservation): Promise<void> {
  if ('aggregateId' in details && details.aggregateId !== null)
    await deleteAggregate(context, details.aggregateId);
  if (!('demand' in details)) return;
  if (details.serverGroupId !== null) await deleteServerGroup(context, details.serverGroupId);
  await deleteFlavor(context, id);
  await deleteReservationClass(context, id);
}
