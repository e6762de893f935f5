// The events of a lease: when it starts, shortly before it ends, when it ends; each is a job at its
// time.
import { forbidden } from '../../../../kernel/errors.ts';
import type { Micros } from '../../../../kernel/clock.ts';
import { newUuid } from '../../../../kernel/ids.ts';
import { cancel, schedule } from '../../../../kernel/jobs/queue.ts';
import type { Context } from '../../../../kernel/model.ts';
import { insertEvents, updateEvent } from '../../store/events.ts';
import { minute } from '../dates.ts';
import {
  beforeEndEvent,
  endEvent,
  startEvent,
  type Lease,
  type LeaseEvent,
  type Span,
} from '../../model.ts';
import { settingsOf } from '../settings.ts';

/** The kind of the job that lets an event happen. */
export const jobKind = (eventType: string): string => `reservation.${eventType}`;

/** How much later a job that has to wait for another service looks again, in microseconds. */
export const recheckInterval: Micros = 1_000_000;

const ours = [startEvent, beforeEndEvent, endEvent];

/** @throws 403 for a time that is not within the lease */
export function checkBeforeEnd(time: Micros, { startAt, endAt }: Span): void {
  if (time <= startAt || time >= endAt) throw forbidden('Datetime is out of lease limits');
}

/** Makes the events of a new lease, and those that the client has put down, which never happen. */
export async function makeEvents(
  context: Context,
  lease: Lease,
  { beforeEnd, own }: { beforeEnd: Micros | undefined; own: readonly string[] },
): Promise<LeaseEvent[]> {
  const { minutesBeforeEndLease } = await settingsOf(context);
  const byDefault = minutesBeforeEndLease
    ? Math.max(lease.startAt, lease.endAt - minutesBeforeEndLease * minute)
    : undefined;
  const before = beforeEnd ?? byDefault;
  const times: readonly (readonly [string, Micros])[] = [
    [startEvent, lease.startAt],
    ...(before === undefined ? [] : [[beforeEndEvent, before] as const]),
    [endEvent, lease.endAt],
  ];
  const common = { leaseId: lease.id, createdAt: context.now, updatedAt: null };
  const happening = times.map(([eventType, time]) => ({
    eventType,
    time,
    status: 'UNDONE' as const,
  }));
  const noted = own.map((eventType) => ({ eventType, time: null, status: null }));
  const events = [...happening, ...noted].map((event, position) => ({
    ...common,
    id: newUuid(),
    position,
    ...event,
  }));
  await insertEvents(context.db, events);
  for (const [eventType, time] of times) await scheduleEvent(context, lease.id, eventType, time);
  return events;
}

/** Lets an event happen at a time. Of what is due already, the next request finds it done. */
export const scheduleEvent = (
  { db }: Context,
  leaseId: string,
  eventType: string,
  dueAt: Micros,
): Promise<void> => schedule(db, { dueAt, kind: jobKind(eventType), subject: leaseId });

/** Moves an event. @returns it as it is then */
export async function moveEvent(
  context: Context,
  event: LeaseEvent,
  time: Micros,
): Promise<LeaseEvent> {
  await cancel(context.db, jobKind(event.eventType), event.leaseId);
  await scheduleEvent(context, event.leaseId, event.eventType, time);
  return updateEvent(context.db, event, { time, status: 'UNDONE' }, context.now);
}

/** Calls off all that would still happen to a lease. */
export async function callOffEvents({ db }: Context, leaseId: string): Promise<void> {
  for (const eventType of [...ours, 'delete_lease']) await cancel(db, jobKind(eventType), leaseId);
}
