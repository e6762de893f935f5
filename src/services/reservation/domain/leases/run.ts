// What happens to a lease in its time: it starts, is about to end, ends, or is deleted in the
// meantime. Upstream: blazar/manager/service.py.
import { ApiError } from '../../../../kernel/errors.ts';
import type { Micros } from '../../../../kernel/clock.ts';
import type { Context } from '../../../../kernel/model.ts';
import { dropTrust } from '../../clients/identity.ts';
import { leasesDue, updateEvent } from '../../store/events.ts';
import { deleteLease, findLease, updateLease } from '../../store/leases.ts';
import { updateReservation } from '../../store/reservations.ts';
import { notifyEnd } from '../enforcement.ts';
import {
  beforeEndEvent,
  endEvent,
  startEvent,
  type EventStatus,
  type LeaseEvent,
  type LeaseStatus,
  type Reservation,
  type WholeLease,
} from '../../model.ts';
import { resourceTypeOf } from '../resources/index.ts';
import type { ResourceType } from '../resources/types.ts';
import { callOffEvents, recheckInterval, scheduleEvent } from './events.ts';
import { eventOf, invalidStatus, isBusy } from './status.ts';

/** How long the servers of a lease may take to go, in microseconds. */
const longestWait: Micros = 600_000_000;

/** The event of a lease that is to happen now; undefined where it is over, or was moved. */
function dueEvent({ events }: WholeLease, type: string, now: Micros): LeaseEvent | undefined {
  const event = eventOf(events, type);
  const waits = event?.status === 'UNDONE' || event?.status === 'IN_PROGRESS';
  return waits && event.time! <= now ? event : undefined;
}

/** Starts a lease. What ends at the same moment ends first, so that its resources are free. */
export async function startLease(context: Context, leaseId: string): Promise<void> {
  for (const id of await leasesDue(context.db, endEvent, context.now))
    if (id !== leaseId) await endLease(context, id);
  const whole = await findLease(context.db, leaseId);
  const event = whole && dueEvent(whole, startEvent, context.now);
  if (!whole || !event || !['PENDING', 'STARTING'].includes(whole.lease.status)) return;
  const { all, failed } = await each(context, whole, ['pending'], 'active', (type, reserved) =>
    type.start(context, reserved),
  );
  if (!all) {
    await finishEvent(context, whole, event, 'STARTING', 'IN_PROGRESS');
    return scheduleEvent(context, leaseId, startEvent, context.now + recheckInterval);
  }
  await finishEvent(context, whole, event, failed ? 'ERROR' : 'ACTIVE', failed ? 'ERROR' : 'DONE');
}

/** What is done shortly before the end. */
export async function announceEnd(context: Context, leaseId: string): Promise<void> {
  const whole = await findLease(context.db, leaseId);
  const event = whole && dueEvent(whole, beforeEndEvent, context.now);
  if (!whole || !event) return;
  // Something else may be due at the same moment, such as the start.
  if (
    eventOf(whole.events, startEvent)?.status === 'UNDONE' &&
    whole.lease.startAt <= context.now
  ) {
    await startLease(context, leaseId);
    return announceEnd(context, leaseId);
  }
  for (const reservation of whole.reservations.filter(({ status }) => status === 'active'))
    await resourceTypeOf(reservation.resourceType).beforeEnd(context, {
      lease: whole.lease,
      reservation,
    });
  await updateEvent(context.db, event, { status: 'DONE' }, context.now);
  // It happens to the lease, but changes nothing of it.
  await updateLease(context.db, whole.lease, {}, whole.lease.updatedAt);
}

/** Ends a lease. It stays listed until it is deleted. */
export async function endLease(context: Context, leaseId: string): Promise<void> {
  const whole = await findLease(context.db, leaseId);
  const event = whole && dueEvent(whole, endEvent, context.now);
  if (!whole || !event || whole.lease.status === 'DELETING') return;
  if (whole.lease.status === 'STARTING')
    return scheduleEvent(context, leaseId, endEvent, context.now + recheckInterval);
  // A lease that never started cannot end: upstream leaves it as it is, until somebody deletes it.
  if (!['ACTIVE', 'TERMINATING', 'ERROR'].includes(whole.lease.status)) return;
  if (whole.reservations.some(({ status }) => status === 'pending')) return;
  if (event.status === 'UNDONE') await notifyEnd(context, whole);
  const { all, failed } = await each(
    context,
    whole,
    ['active', 'error'],
    'deleted',
    (type, reserved) => type.end(context, reserved),
  );
  if (!all && context.now < event.time! + longestWait) {
    await finishEvent(context, whole, event, 'TERMINATING', 'IN_PROGRESS');
    return scheduleEvent(context, leaseId, endEvent, context.now + recheckInterval);
  }
  const isDone = all && !failed;
  await finishEvent(
    context,
    whole,
    event,
    isDone ? 'TERMINATED' : 'ERROR',
    isDone ? 'DONE' : 'ERROR',
  );
}

/**
 * Deletes a lease, whatever it has. Where its servers take their time, it is DELETING until they
 * are gone.
 * @throws 409 while it starts or ends
 */
export async function removeLease(context: Context, whole: WholeLease): Promise<void> {
  if (
    isBusy(whole.events) ||
    ['STARTING', 'TERMINATING', 'DELETING', 'UPDATING'].includes(whole.lease.status)
  )
    throw invalidStatus();
  const [start, end] = [eventOf(whole.events, startEvent), eventOf(whole.events, endEvent)];
  if (start?.status === 'DONE' && end?.status === 'UNDONE') await notifyEnd(context, whole);
  await finishRemoval(context, whole);
}

/** Goes on with the deletion of a lease. */
export async function continueRemoval(context: Context, leaseId: string): Promise<void> {
  const whole = await findLease(context.db, leaseId);
  if (whole?.lease.status === 'DELETING') await finishRemoval(context, whole);
}

async function finishRemoval(context: Context, whole: WholeLease): Promise<void> {
  let all = true;
  for (const reservation of whole.reservations.filter(({ status }) => status !== 'deleted')) {
    const done = await resourceTypeOf(reservation.resourceType).end(context, {
      lease: whole.lease,
      reservation,
    });
    if (done) await updateReservation(context.db, reservation, { status: 'deleted' }, context.now);
    all &&= done;
  }
  await callOffEvents(context, whole.lease.id);
  if (all) {
    await deleteLease(context.db, whole.lease);
    return dropTrust(context, whole.lease.trustId);
  }
  await updateLease(context.db, whole.lease, { status: 'DELETING' }, context.now);
  return scheduleEvent(context, whole.lease.id, 'delete_lease', context.now + recheckInterval);
}

type Reserved = Parameters<ResourceType['start']>[1];

/**
 * Does something with the reservations of a lease that are in one of these statuses; one that fails
 * does not keep the others from it.
 */
async function each(
  context: Context,
  { lease, reservations }: WholeLease,
  from: readonly Reservation['status'][],
  to: Reservation['status'],
  run: (type: ResourceType, reserved: Reserved) => Promise<boolean>,
): Promise<{ all: boolean; failed: boolean }> {
  let [all, failed] = [
    true,
    reservations.some(({ status }) => status === 'error') && to === 'active',
  ];
  for (const reservation of reservations.filter(({ status }) => from.includes(status))) {
    try {
      const done = await run(resourceTypeOf(reservation.resourceType), { lease, reservation });
      all &&= done;
      if (done) await updateReservation(context.db, reservation, { status: to }, context.now);
    } catch (error) {
      // A refusal of another service is an error of the reservation; all else is one of ours, and
      // undoes the whole job.
      if (!(error instanceof ApiError)) throw error;
      context.cloud.log.warn(
        { lease: lease.id, reservation: reservation.id, err: error },
        'a reservation failed',
      );
      failed = true;
      await updateReservation(context.db, reservation, { status: 'error' }, context.now);
    }
  }
  return { all, failed };
}

async function finishEvent(
  context: Context,
  { lease }: WholeLease,
  event: LeaseEvent,
  leaseStatus: LeaseStatus,
  status: EventStatus,
): Promise<void> {
  await updateEvent(context.db, event, { status }, context.now);
  await updateLease(context.db, lease, { status: leaseStatus }, context.now);
}
