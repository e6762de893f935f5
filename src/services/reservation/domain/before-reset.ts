// What leases and hosts have in other services, when Reservation alone is to be as new: all of it goes, for nobody would know of it any more.
import type { Work } from '../../../kernel/model.ts';
import { deleteAggregate, deleteFlavor, deleteServerGroup } from '../neighbours/compute.ts';
import { dropTrust } from '../neighbours/identity.ts';
import { clearReservationProvider, deleteReservationClass, deleteReservationProvider } from '../neighbours/placement.ts';
import { listHosts } from '../store/hosts.ts';
import { listLeases } from '../store/leases.ts';
import { unlessRefused } from './after-reset.ts';
import { leaveFreepool } from './freepool.ts';
import type { Reservation } from './records.ts';
import { resourceTypeOf } from './resources/index.ts';

/** Ends all leases and gives all hosts back. What another service refuses does not keep the rest from it. */
export async function giveBack(work: Work): Promise<void> {
  const left: Reservation[] = [];
  for (const { lease, reservations } of await listLeases(work.db)) {
    for (const reservation of reservations.filter(({ status }) => status !== 'deleted')) {
      const ending = resourceTypeOf(reservation.resourceType).end(work, { lease, reservation });
      if (!(await ending.catch(unlessRefused))) left.push(reservation);
    }
    await dropTrust(work, lease.trustId);
  }
  for (const { hypervisorHostname, serviceName, trustId } of await listHosts(work.db)) {
    await clearReservationProvider(work, hypervisorHostname).catch(unlessRefused);
    await deleteReservationProvider(work, hypervisorHostname).catch(unlessRefused);
    await leaveFreepool(work, serviceName).catch(unlessRefused);
    await dropTrust(work, trustId);
  }
  for (const reservation of left) await dropParts(work, reservation).catch(unlessRefused);
}

/**
 * Drops what a reservation keeps until its servers are gone: here nobody waits for them. The aggregate of whole hosts stays where Compute still has
 * servers in its zone.
 */
async function dropParts(work: Work, { id, details }: Reservation): Promise<void> {
  if ('aggregateId' in details && details.aggregateId !== null) await deleteAggregate(work, details.aggregateId);
  if (!('demand' in details)) return;
  if (details.serverGroupId !== null) await deleteServerGroup(work, details.serverGroupId);
  await deleteFlavor(work, id);
  await deleteReservationClass(work, id);
}
