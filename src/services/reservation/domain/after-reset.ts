// Adapts leases and hosts to a reset of Compute or Placement: deletes what depended on Compute's
// hosts, or creates the providers, classes and inventories in Placement again.
import { ApiError } from '../../../kernel/errors.ts';
import type { Context } from '../../../kernel/model.ts';
import { deleteTrust } from '../clients/identity.ts';
import {
  clearReservationProvider,
  createReservationClass,
  createReservationProvider,
  deleteReservationClass,
  deleteReservationProvider,
  putInventory,
  setReservableTrait,
} from '../clients/placement.ts';
import { allocationsOf } from '../store/allocations.ts';
import { deleteHost, listHosts } from '../store/hosts.ts';
import { deleteLease, listLeases } from '../store/leases.ts';
import { cancelEvents } from './leases/events.ts';
import type { Reservation, WholeLease } from '../model.ts';
import { resourceTypeOf } from './resources/index.ts';
import { applyStrict } from './strict.ts';

/**
 * After a reset of Compute, deletes the hosts and all leases that reserve any of them. After a
 * reset of Placement, recreates the reservation providers.
 */
export async function adaptToReset(context: Context, reset: ReadonlySet<string>): Promise<void> {
  if (reset.has('compute')) await deleteHosts(context);
  else if (reset.has('placement')) await restorePlacement(context);
}

const isNotDeleted = ({ status }: Reservation): boolean => status !== 'deleted';
const isOfHosts = ({ details }: Reservation): boolean => !('networkId' in details);
const hasSlots = ({ details }: Reservation): boolean => 'demand' in details;

async function deleteHosts(context: Context): Promise<void> {
  const hosts = await listHosts(context.db);
  // The reset deleted the servers that used the slots, but not their allocations.
  for (const { hypervisorHostname } of hosts)
    await clearReservationProvider(context, hypervisorHostname);
  for (const whole of await listLeases(context.db))
    if (whole.reservations.some(isOfHosts)) await deleteWholeLease(context, whole);
  for (const host of hosts) {
    await deleteReservationProvider(context, host.hypervisorHostname);
    await setReservableTrait(context, host.hypervisorHostname, false);
    await deleteHost(context.db, host);
    await deleteTrust(context, host.trustId);
  }
}

async function deleteWholeLease(
  context: Context,
  { lease, reservations }: WholeLease,
): Promise<void> {
  for (const reservation of reservations.filter(isNotDeleted)) {
    if (hasSlots(reservation)) await deleteReservationClass(context, reservation.id);
    else if (!isOfHosts(reservation))
      await resourceTypeOf(reservation.resourceType).end(context, { lease, reservation });
  }
  await cancelEvents(context, lease.id);
  await deleteLease(context.db, lease);
  await deleteTrust(context, lease.trustId);
}

async function restorePlacement(context: Context): Promise<void> {
  const names = new Map(
    (await listHosts(context.db)).map(({ id, hypervisorHostname }) => [id, hypervisorHostname]),
  );
  for (const name of names.values())
    await createReservationProvider(context, name).catch(ignoreApiError);
  await applyStrict(context);
  for (const { reservations } of await listLeases(context.db))
    for (const { id, status } of reservations.filter(isNotDeleted).filter(hasSlots)) {
      await createReservationClass(context, id);
      if (status !== 'active') continue;
      for (const { hostId, slots } of await allocationsOf(context.db, id))
        await putInventory(context, names.get(hostId)!, id, slots).catch(ignoreApiError);
    }
}

/**
 * Ignores an error of another service, so that the reset continues: a host that Compute no longer
 * has, for example, has no provider in Placement.
 */
export function ignoreApiError(error: unknown): void {
  if (!(error instanceof ApiError)) throw error;
}
