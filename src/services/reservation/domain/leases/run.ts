// What happens to a lease in its time: it starts, is about to end, ends, or is deleted in the meantime. Upstream: blazar/manager/service.py.
import { Fault } from '../../../../kernel/fault.ts';
import type { Micros } from '../../../../kernel/clock.ts';
import type { Work } from '../../../../kernel/model.ts';
import { dropTrust } from '../../neighbours/identity.ts';
import { leasesDue, updateEvent } from '../../store/events.ts';
import { deleteLease, findLease, updateLease } from '../../store/leases.ts';
import { updateReservation } from '../../store/reservations.ts';
import { tellEnd } from '../enforcement.ts';
import {
  beforeEndEvent, endEvent, startEvent, type EventStatus, type LeaseEvent, type LeaseStatus, type Reservation, type WholeLease,
} from '../records.ts'; // prettier-ignore
import { resourceTypeOf } from '../resources/index.ts';
import type { ResourceType } from '../resources/types.ts';
import { callOffEvents, lookAgainAfter, scheduleEvent } from './events.ts';
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
export async function startLease(work: Work, leaseId: string): Promise<void> {
  for (const id of await leasesDue(work.db, endEvent, work.now)) if (id !== leaseId) await endLease(work, id);
  const whole = await findLease(work.db, leaseId);
  const event = whole && dueEvent(whole, startEvent, work.now);
  if (!whole || !event || !['PENDING', 'STARTING'].includes(whole.lease.status)) return;
  const { all, failed } = await each(work, whole, ['pending'], 'active', (type, reserved) => type.start(work, reserved));
  if (!all) {
    await settleEvent(work, whole, event, 'STARTING', 'IN_PROGRESS');
    return scheduleEvent(work, leaseId, startEvent, work.now + lookAgainAfter);
  }
  await settleEvent(work, whole, event, failed ? 'ERROR' : 'ACTIVE', failed ? 'ERROR' : 'DONE');
}

/** What is done shortly before the end. */
export async function announceEnd(work: Work, leaseId: string): Promise<void> {
  const whole = await findLease(work.db, leaseId);
  const event = whole && dueEvent(whole, beforeEndEvent, work.now);
  if (!whole || !event) return;
  // Something else may be due at the same moment, such as the start.
  if (eventOf(whole.events, startEvent)?.status === 'UNDONE' && whole.lease.startAt <= work.now) {
    await startLease(work, leaseId);
    return announceEnd(work, leaseId);
  }
  for (const reservation of whole.reservations.filter(({ status }) => status === 'active'))
    await resourceTypeOf(reservation.resourceType).beforeEnd(work, { lease: whole.lease, reservation });
  await updateEvent(work.db, event, { status: 'DONE' }, work.now);
  // It happens to the lease, but changes nothing of it.
  await updateLease(work.db, whole.lease, {}, whole.lease.updatedAt);
}

/** Ends a lease. It stays listed until it is deleted. */
export async function endLease(work: Work, leaseId: string): Promise<void> {
  const whole = await findLease(work.db, leaseId);
  const event = whole && dueEvent(whole, endEvent, work.now);
  if (!whole || !event || whole.lease.status === 'DELETING') return;
  if (whole.lease.status === 'STARTING') return scheduleEvent(work, leaseId, endEvent, work.now + lookAgainAfter);
  // A lease that never started cannot end: upstream leaves it as it is, until somebody deletes it.
  if (!['ACTIVE', 'TERMINATING', 'ERROR'].includes(whole.lease.status)) return;
  if (whole.reservations.some(({ status }) => status === 'pending')) return;
  if (event.status === 'UNDONE') await tellEnd(work, whole);
  const { all, failed } = await each(work, whole, ['active', 'error'], 'deleted', (type, reserved) => type.end(work, reserved));
  if (!all && work.now < event.time! + longestWait) {
    await settleEvent(work, whole, event, 'TERMINATING', 'IN_PROGRESS');
    return scheduleEvent(work, leaseId, endEvent, work.now + lookAgainAfter);
  }
  const isDone = all && !failed;
  await settleEvent(work, whole, event, isDone ? 'TERMINATED' : 'ERROR', isDone ? 'DONE' : 'ERROR');
}

/** Deletes a lease, whatever it has. Where its servers take their time, it is DELETING until they are gone. @throws 409 while it starts or ends */
export async function removeLease(work: Work, whole: WholeLease): Promise<void> {
  if (isBusy(whole.events) || ['STARTING', 'TERMINATING', 'DELETING', 'UPDATING'].includes(whole.lease.status))
    throw invalidStatus();
  const [start, end] = [eventOf(whole.events, startEvent), eventOf(whole.events, endEvent)];
  if (start?.status === 'DONE' && end?.status === 'UNDONE') await tellEnd(work, whole);
  await finishRemoval(work, whole);
}

/** Goes on with the deletion of a lease. */
export async function continueRemoval(work: Work, leaseId: string): Promise<void> {
  const whole = await findLease(work.db, leaseId);
  if (whole?.lease.status === 'DELETING') await finishRemoval(work, whole);
}

async function finishRemoval(work: Work, whole: WholeLease): Promise<void> {
  let all = true;
  for (const reservation of whole.reservations.filter(({ status }) => status !== 'deleted')) {
    const done = await resourceTypeOf(reservation.resourceType).end(work, { lease: whole.lease, reservation });
    if (done) await updateReservation(work.db, reservation, { status: 'deleted' }, work.now);
    all &&= done;
  }
  await callOffEvents(work, whole.lease.id);
  if (all) {
    await deleteLease(work.db, whole.lease);
    return dropTrust(work, whole.lease.trustId);
  }
  await updateLease(work.db, whole.lease, { status: 'DELETING' }, work.now);
  return scheduleEvent(work, whole.lease.id, 'delete_lease', work.now + lookAgainAfter);
}

type Reserved = Parameters<ResourceType['start']>[1];

/** Does something with the reservations of a lease that are in one of these statuses; one that fails does not keep the others from it. */
async function each(
  work: Work,
  { lease, reservations }: WholeLease,
  from: readonly Reservation['status'][],
  to: Reservation['status'],
  run: (type: ResourceType, reserved: Reserved) => Promise<boolean>,
): Promise<{ all: boolean; failed: boolean }> {
  let [all, failed] = [true, reservations.some(({ status }) => status === 'error') && to === 'active'];
  for (const reservation of reservations.filter(({ status }) => from.includes(status))) {
    try {
      const done = await run(resourceTypeOf(reservation.resourceType), { lease, reservation });
      all &&= done;
      if (done) await updateReservation(work.db, reservation, { status: to }, work.now);
    } catch (error) {
      // A refusal of another service is an error of the reservation; all else is one of ours, and undoes the whole job.
      if (!(error instanceof Fault)) throw error;
      work.cloud.log.warn({ lease: lease.id, reservation: reservation.id, err: error }, 'a reservation failed');
      failed = true;
      await updateReservation(work.db, reservation, { status: 'error' }, work.now);
    }
  }
  return { all, failed };
}

async function settleEvent(
  work: Work,
  { lease }: WholeLease,
  event: LeaseEvent,
  leaseStatus: LeaseStatus,
  status: EventStatus,
): Promise<void> {
  await updateEvent(work.db, event, { status }, work.now);
  await updateLease(work.db, lease, { status: leaseStatus }, work.now);
}
