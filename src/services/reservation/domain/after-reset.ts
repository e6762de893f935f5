// What becomes of leases and hosts when a service below is as new: without Compute's hosts there is
// nothing to lease, and what Placement had is written there again.
import { ApiError } from '../../../kernel/errors.ts';
import type { Context } from '../../../kernel/model.ts';
import { dropTrust } from '../clients/identity.ts';
import {
  clearReservationProvider,
  createReservationClass,
  createReservationProvider,
  deleteReservationClass,
  deleteReservationProvider,
  putInventory,
} from '../clients/placement.ts';
import { allocationsOf } from '../store/allocations.ts';
import { deleteHost, listHosts } from '../store/hosts.ts';
import { deleteLease, listLeases } from '../store/leases.ts';
import { callOffEvents } from './leases/events.ts';
import type { Reservation, WholeLease } from '../model.ts';
import { resourceTypeOf } from './resources/index.ts';

/**
 * A reset of Compute takes the hosts along, and every lease that has something of them; one of
 * Placement makes the providers anew.
 */
export async function followReset(context: Context, reset: ReadonlySet<string>): Promise<void> {
  if (reset.has('compute')) await forgetHosts(context);
  else if (reset.has('placement')) await restorePlacement(context);
}

const isLiving = ({ status }: Reservation): boolean => status !== 'deleted';
const isOfHosts = ({ details }: Reservation): boolean => !('networkId' in details);
const hasSlots = ({ details }: Reservation): boolean => 'demand' in details;

async function forgetHosts(context: Context): Promise<void> {
  const hosts = await listHosts(context.db);
  // The servers that used the slots are gone: nobody else takes their allocations out.
  for (const { hypervisorHostname } of hosts)
    await clearReservationProvider(context, hypervisorHostname);
  for (const whole of await listLeases(context.db))
    if (whole.reservations.some(isOfHosts)) await forgetLease(context, whole);
  for (const host of hosts) {
    await deleteReservationProvider(context, host.hypervisorHostname);
    await deleteHost(context.db, host);
    await dropTrust(context, host.trustId);
  }
}

async function forgetLease(context: Context, { lease, reservations }: WholeLease): Promise<void> {
  for (const reservation of reservations.filter(isLiving)) {
    if (hasSlots(reservation)) await deleteReservationClass(context, reservation.id);
    else if (!isOfHosts(reservation))
      await resourceTypeOf(reservation.resourceType).end(context, { lease, reservation });
  }
  await callOffEvents(context, lease.id);
  await deleteLease(context.db, lease);
  await dropTrust(context, lease.trustId);
}

async function restorePlacement(context: Context): Promise<void> {
  const names = new Map(
    (await listHosts(context.db)).map(({ id, hypervisorHostname }) => [id, hypervisorHostname]),
  );
  for (const name of names.values())
    await createReservationProvider(context, name).catch(unlessRefused);
  for (const { reservations } of await listLeases(context.db))
    for (const { id, status } of reservations.filter((one) => isLiving(one) && hasSlots(one))) {
      await createReservationClass(context, id);
      if (status !== 'active') continue;
      for (const { hostId, slots } of await allocationsOf(context.db, id))
        await putInventory(context, names.get(hostId)!, id, slots).catch(unlessRefused);
    }
}

/**
 * What another service refuses in a reset stays as it is: a host that Compute no longer has, for
 * example, has nothing in Placement.
 */
export function unlessRefused(error: unknown): void {
  if (!(error instanceof ApiError)) throw error;
}
