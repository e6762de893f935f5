// Creates a lease: allocates its resources, and creates what Compute and Placement need before the
// start.
import { newUuid } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import { createTrust, requireDelegation, trustIdFor } from '../../clients/identity.ts';
import { insertLease } from '../../store/leases.ts';
import { insertReservation } from '../../store/reservations.ts';
import { readDate } from '../dates.ts';
import { checkDuration, checkExternally } from '../enforcement.ts';
import type { Details, Lease, Reservation, WholeLease } from '../../model.ts';
import { explained } from '../explanation/record.ts';
import { resourceTypeOf } from '../resources/index.ts';
import { checkBeforeEnd, createEvents } from './events.ts';
import { notifyLease } from './notifications.ts';
import { readLease, type LeaseRequest, type RequestedReservation } from './requests.ts';

/**
 * Creates a lease that belongs to the actor's project.
 * @throws 400, 403, 404, 409; 500 if there are not enough hosts
 */
export async function createLease(context: Context, body: unknown): Promise<WholeLease> {
  requireDelegation(context);
  const request = readLease(body, context.now);
  const operation = { operation: 'create', id: null, name: request.name, isMovable: true } as const;
  return explained(context, operation, () => create(context, request));
}

async function create(context: Context, request: LeaseRequest): Promise<WholeLease> {
  const { actor, now, db } = context;
  const { name, startAt, endAt } = request;
  const trustId = trustIdFor(context);
  const lease: Lease = {
    id: newUuid(),
    name,
    userId: actor.userId,
    projectId: actor.projectId ?? '',
    startAt,
    endAt,
    trustId,
    status: 'PENDING',
    degraded: false,
    revision: 1,
    createdAt: now,
    updatedAt: now,
  };
  await insertLease(db, lease);
  const reservations: Reservation[] = [];
  for (const [position, requested] of request.reservations.entries())
    reservations.push(await createReservation(context, lease, requested, position));
  await checkDuration(context, lease, 'create');
  await checkExternally(context, { lease, reservations });
  const beforeEnd = request.beforeEnd === undefined ? undefined : readDate(request.beforeEnd, now);
  if (beforeEnd !== undefined) checkBeforeEnd(beforeEnd, lease);
  const prepared: Reservation[] = [];
  for (const reservation of reservations)
    prepared.push(
      await resourceTypeOf(reservation.resourceType).prepare(context, { lease, reservation }),
    );
  const events = await createEvents(context, lease, { beforeEnd, own: request.events });
  await createTrust(context, trustId);
  const created = { lease, reservations: prepared, events };
  await notifyLease(context, 'create', () => created);
  return created;
}

/** Creates a reservation, and allocates its resources. */
async function createReservation(
  context: Context,
  lease: Lease,
  { resourceType, values }: RequestedReservation,
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
    error: null,
    details,
    createdAt: context.now,
    updatedAt: context.now,
  };
  await insertReservation(context.db, reservation);
  await type.allocate(context, { lease, reservation });
  return reservation;
}
