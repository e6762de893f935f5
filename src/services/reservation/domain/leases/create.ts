// Making a lease: resources are promised, and what Compute and Placement have to know before the
// start is made.
import { newUuid } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import { makeTrust, trustIdFor } from '../../clients/identity.ts';
import { insertLease } from '../../store/leases.ts';
import { insertReservation } from '../../store/reservations.ts';
import { dateFrom } from '../dates.ts';
import { checkDuration, checkOutside } from '../enforcement.ts';
import type { Details, Lease, Reservation, WholeLease } from '../../model.ts';
import { resourceTypeOf } from '../resources/index.ts';
import { checkBeforeEnd, makeEvents } from './events.ts';
import { readLease, type AskedReservation } from './requests.ts';

/**
 * Makes a lease for the actor's project.
 * @throws 400, 403, 404, 409; 500 where there are not enough hosts
 */
export async function createLease(context: Context, body: unknown): Promise<WholeLease> {
  const { actor, now, db } = context;
  const request = readLease(body, now);
  const { name, startAt, endAt } = request;
  const lease: Lease = {
    id: newUuid(),
    name,
    userId: actor.userId,
    projectId: actor.projectId ?? '',
    startAt,
    endAt,
    trustId: trustIdFor(context),
    status: 'PENDING',
    degraded: false,
    revision: 1,
    createdAt: now,
    updatedAt: now,
  };
  await insertLease(db, lease);
  const reservations: Reservation[] = [];
  for (const [position, asked] of request.reservations.entries())
    reservations.push(await promise(context, lease, asked, position));
  await checkDuration(context, lease, 'create');
  await checkOutside(context, { lease, reservations });
  const beforeEnd = request.beforeEnd === undefined ? undefined : dateFrom(request.beforeEnd, now);
  if (beforeEnd !== undefined) checkBeforeEnd(beforeEnd, lease);
  const prepared: Reservation[] = [];
  for (const reservation of reservations)
    prepared.push(
      await resourceTypeOf(reservation.resourceType).prepare(context, { lease, reservation }),
    );
  const events = await makeEvents(context, lease, { beforeEnd, own: request.events });
  await makeTrust(context);
  return { lease, reservations: prepared, events };
}

/** Promises what a reservation asks for. */
async function promise(
  context: Context,
  lease: Lease,
  { resourceType, values }: AskedReservation,
  position: number,
): Promise<Reservation> {
  const type = resourceTypeOf(resourceType);
  const details: Details = await type.read(context, values);
  const reservation: Reservation = {
    id: newUuid(),
    leaseId: lease.id,
    position,
    resourceId: newUuid(),
    resourceType,
    status: 'pending',
    missingResources: false,
    resourcesChanged: false,
    details,
    createdAt: context.now,
    updatedAt: context.now,
  };
  await insertReservation(context.db, reservation);
  await type.allocate(context, { lease, reservation });
  return reservation;
}
