// Making a lease: resources are promised, and what Compute and Placement have to know before the start is made.
import { newUuid } from '../../../../kernel/ids.ts';
import type { Work } from '../../../../kernel/model.ts';
import { makeTrust, trustIdFor } from '../../neighbours/identity.ts';
import { insertLease } from '../../store/leases.ts';
import { insertReservation } from '../../store/reservations.ts';
import { dateFrom } from '../dates.ts';
import { checkDuration, checkOutside } from '../enforcement.ts';
import type { Details, Lease, Reservation, WholeLease } from '../records.ts';
import { resourceTypeOf } from '../resources/index.ts';
import { checkBeforeEnd, makeEvents } from './events.ts';
import { readLease, type AskedReservation } from './requests.ts';

/** Makes a lease for the actor's project. @throws 400, 403, 404, 409; 500 where there are not enough hosts */
export async function createLease(work: Work, body: unknown): Promise<WholeLease> {
  const { actor, now, db } = work;
  const request = readLease(body, now);
  const { name, startAt, endAt } = request;
  const lease: Lease = {
    id: newUuid(),
    name,
    userId: actor.userId,
    projectId: actor.projectId ?? '',
    startAt,
    endAt,
    trustId: trustIdFor(work),
    status: 'PENDING',
    degraded: false,
    revision: 1,
    createdAt: now,
    updatedAt: now,
  };
  await insertLease(db, lease);
  const reservations: Reservation[] = [];
  for (const [position, asked] of request.reservations.entries()) reservations.push(await promise(work, lease, asked, position));
  await checkDuration(work, lease, 'create');
  await checkOutside(work, { lease, reservations });
  const beforeEnd = request.beforeEnd === undefined ? undefined : dateFrom(request.beforeEnd, now);
  if (beforeEnd !== undefined) checkBeforeEnd(beforeEnd, lease);
  const prepared: Reservation[] = [];
  for (const reservation of reservations)
    prepared.push(await resourceTypeOf(reservation.resourceType).prepare(work, { lease, reservation }));
  const events = await makeEvents(work, lease, { beforeEnd, own: request.events });
  await makeTrust(work);
  return { lease, reservations: prepared, events };
}

/** Promises what a reservation asks for. */
async function promise(
  work: Work,
  lease: Lease,
  { resourceType, values }: AskedReservation,
  position: number,
): Promise<Reservation> {
  const type = resourceTypeOf(resourceType);
  const details: Details = await type.read(work, values);
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
    createdAt: work.now,
    updatedAt: work.now,
  };
  await insertReservation(work.db, reservation);
  await type.allocate(work, { lease, reservation });
  return reservation;
}
