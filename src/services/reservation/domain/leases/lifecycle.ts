// The lifecycle of a lease: its start, the notification before its end, its end, and its deletion.
// Upstream: blazar/manager/service.py.
import { ApiError } from '../../../../kernel/errors.ts';
import type { Micros } from '../../../../kernel/clock.ts';
import { attempt } from '../../../../kernel/context.ts';
import type { Context } from '../../../../kernel/model.ts';
import { deleteTrust } from '../../clients/identity.ts';
import { leasesWithDueEvent, updateEvent } from '../../store/events.ts';
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
import type { LeasedReservation, ResourceType } from '../resources/types.ts';
import { cancelEvents, retryInterval, scheduleEvent } from './events.ts';
import { notifyLease } from './notifications.ts';
import { eventOf, invalidStatus, isInTransition } from './status.ts';

/** How long the servers of a lease may take to be deleted, in microseconds. */
const deletionTimeout: Micros = 600_000_000;

/** The event of a type that is due now; undefined if it has happened already, or was moved. */
function dueEvent({ events }: WholeLease, type: string, now: Micros): LeaseEvent | undefined {
  const event = eventOf(events, type);
  const isPending = event?.status === 'UNDONE' || event?.status === 'IN_PROGRESS';
  return isPending && event.time! <= now ? event : undefined;
}

/** Starts a lease. Leases that end at the same time end before it, to free their resources. */
export async function startLease(context: Context, leaseId: string): Promise<void> {
  for (const id of await leasesWithDueEvent(context.db, endEvent, context.now))
    if (id !== leaseId) await endLease(context, id);
  const whole = await findLease(context.db, leaseId);
  const event = whole && dueEvent(whole, startEvent, context.now);
  if (!whole || !event || !['PENDING', 'STARTING'].includes(whole.lease.status)) return;
  const { all, failed } = await transition(
    context,
    whole,
    ['pending'],
    'active',
    async (type, reserved) => {
      // A start that fails halfway leaves nothing, so that other leases can have the resources.
      const started = await attempt(context, (inner) => type.start(inner, reserved));
      if ('error' in started) throw started.error;
      return started.value;
    },
  );
  if (!all) {
    await finishEvent(context, whole, event, 'STARTING', 'IN_PROGRESS');
    return scheduleEvent(context, leaseId, startEvent, context.now + retryInterval);
  }
  await finishEvent(context, whole, event, failed ? 'ERROR' : 'ACTIVE', failed ? 'ERROR' : 'DONE');
}

/** Runs the `before_end_lease` event. */
export async function runBeforeEnd(context: Context, leaseId: string): Promise<void> {
  const whole = await findLease(context.db, leaseId);
  const event = whole && dueEvent(whole, beforeEndEvent, context.now);
  if (!whole || !event) return;
  // The start may be due at the same time, and its job may run later than this one.
  if (
    eventOf(whole.events, startEvent)?.status === 'UNDONE' &&
    whole.lease.startAt <= context.now
  ) {
    await startLease(context, leaseId);
    return runBeforeEnd(context, leaseId);
  }
  for (const reservation of whole.reservations.filter(({ status }) => status === 'active'))
    await resourceTypeOf(reservation.resourceType).beforeEnd(context, {
      lease: whole.lease,
      reservation,
    });
  await updateEvent(context.db, event, { status: 'DONE' }, context.now);
  // The event does not change the lease, but bumps its revision.
  await updateLease(context.db, whole.lease, {}, whole.lease.updatedAt);
  await notifyEvent(context, leaseId, event);
}

/** Ends a lease. It stays listed until it is deleted. */
export async function endLease(context: Context, leaseId: string): Promise<void> {
  const whole = await findLease(context.db, leaseId);
  const event = whole && dueEvent(whole, endEvent, context.now);
  if (!whole || !event || whole.lease.status === 'DELETING') return;
  if (whole.lease.status === 'STARTING')
    return scheduleEvent(context, leaseId, endEvent, context.now + retryInterval);
  // A lease that has not started cannot end. As upstream, it keeps its status until it is deleted.
  if (!['ACTIVE', 'TERMINATING', 'ERROR'].includes(whole.lease.status)) return;
  if (whole.reservations.some(({ status }) => status === 'pending')) return;
  if (event.status === 'UNDONE') await notifyEnd(context, whole);
  const { all, failed } = await transition(
    context,
    whole,
    ['active', 'error'],
    'deleted',
    (type, reserved) => type.end(context, reserved),
  );
  if (!all && context.now < event.time! + deletionTimeout) {
    await finishEvent(context, whole, event, 'TERMINATING', 'IN_PROGRESS');
    return scheduleEvent(context, leaseId, endEvent, context.now + retryInterval);
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
 * Deletes a lease with all of its resources. While its servers are being deleted, its status is
 * DELETING.
 * @throws 409 while it starts or ends
 */
export async function removeLease(context: Context, whole: WholeLease): Promise<void> {
  if (
    isInTransition(whole.events) ||
    ['STARTING', 'TERMINATING', 'DELETING', 'UPDATING'].includes(whole.lease.status)
  )
    throw invalidStatus();
  const [start, end] = [eventOf(whole.events, startEvent), eventOf(whole.events, endEvent)];
  if (start?.status === 'DONE' && end?.status === 'UNDONE') await notifyEnd(context, whole);
  await runDeletion(context, whole);
}

/** Continues the deletion of a lease. */
export async function continueDeletion(context: Context, leaseId: string): Promise<void> {
  const whole = await findLease(context.db, leaseId);
  if (whole?.lease.status === 'DELETING') await runDeletion(context, whole);
}

/**
 * Deletes a lease, whatever its status, if its servers can be deleted at once. Otherwise a job goes
 * on until they are deleted.
 */
export async function runDeletion(context: Context, whole: WholeLease): Promise<void> {
  let all = true;
  for (const reservation of whole.reservations.filter(({ status }) => status !== 'deleted')) {
    const done = await resourceTypeOf(reservation.resourceType).end(context, {
      lease: whole.lease,
      reservation,
    });
    if (done) await updateReservation(context.db, reservation, { status: 'deleted' }, context.now);
    all &&= done;
  }
  await cancelEvents(context, whole.lease.id);
  if (all) {
    await deleteLease(context.db, whole.lease);
    await notifyLease(context, 'delete', () => whole);
    return deleteTrust(context, whole.lease.trustId);
  }
  await updateLease(context.db, whole.lease, { status: 'DELETING' }, context.now);
  return scheduleEvent(context, whole.lease.id, 'delete_lease', context.now + retryInterval);
}

/**
 * Moves the reservations of a lease from one of these statuses to another. A failed reservation
 * does not stop the others.
 * @returns whether all are done, and whether any failed
 */
async function transition(
  context: Context,
  { lease, reservations }: WholeLease,
  from: readonly Reservation['status'][],
  to: Reservation['status'],
  run: (type: ResourceType, reserved: LeasedReservation) => Promise<boolean>,
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
      // An error that another service returns is an error of the reservation. Any other error is a
      // bug or a conflict, and rolls the whole job back.
      if (!(error instanceof ApiError)) throw error;
      context.cloud.log.warn(
        { lease: lease.id, reservation: reservation.id, err: error },
        'a reservation failed',
      );
      failed = true;
      const changes = { status: 'error', error: error.message } as const;
      await updateReservation(context.db, reservation, changes, context.now);
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
  if (status === 'DONE') await notifyEvent(context, lease.id, event);
}

/** Reports that an event has run. */
const notifyEvent = (context: Context, leaseId: string, { eventType }: LeaseEvent): Promise<void> =>
  notifyLease(context, `event.${eventType}`, async () => (await findLease(context.db, leaseId))!);
