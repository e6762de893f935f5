// The events of a lease: its start, the notification before its end, and its end. Each is a job.
import { forbidden } from '../../../../kernel/errors.ts';
import type { Micros } from '../../../../kernel/clock.ts';
import { newUuid } from '../../../../kernel/ids.ts';
import { cancel, schedule, scheduleAll } from '../../../../kernel/jobs/queue.ts';
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
import { loadSettings } from '../settings.ts';

/** The kind of the job that runs an event. */
export const jobKind = (eventType: string): string => `reservation.${eventType}`;

/** How long a job that waits for another service is delayed, in microseconds. */
export const retryInterval: Micros = 1_000_000;

const eventTypes = [startEvent, beforeEndEvent, endEvent];

/** @throws 403 if the time is not within the lease */
export function checkBeforeEnd(time: Micros, { startAt, endAt }: Span): void {
  if (time <= startAt || time >= endAt) throw forbidden('Datetime is out of lease limits');
}

/** Creates the events of a new lease, and those that the client has added, which never happen. */
export async function createEvents(
  context: Context,
  lease: Lease,
  { beforeEnd, own }: { beforeEnd: Micros | undefined; own: readonly string[] },
): Promise<LeaseEvent[]> {
  const { minutesBeforeEndLease } = await loadSettings(context);
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
  const scheduled = times.map(([eventType, time]) => ({
    eventType,
    time,
    status: 'UNDONE' as const,
  }));
  const unscheduled = own.map((eventType) => ({ eventType, time: null, status: null }));
  const events = [...scheduled, ...unscheduled].map((event, position) => ({
    ...common,
    id: newUuid(),
    position,
    ...event,
  }));
  await insertEvents(context.db, events);
  await scheduleAll(
    context.db,
    times.map(([eventType, dueAt]) => ({ dueAt, kind: jobKind(eventType), subject: lease.id })),
  );
  return events;
}

/** Schedules the job of an event. If it is due already, it runs before the next request. */
export const scheduleEvent = (
  { db }: Context,
  leaseId: string,
  eventType: string,
  dueAt: Micros,
): Promise<void> => schedule(db, { dueAt, kind: jobKind(eventType), subject: leaseId });

/** Moves an event to another time. @returns the updated event */
export async function moveEvent(
  context: Context,
  event: LeaseEvent,
  time: Micros,
): Promise<LeaseEvent> {
  await cancel(context.db, jobKind(event.eventType), event.leaseId);
  await scheduleEvent(context, event.leaseId, event.eventType, time);
  return updateEvent(context.db, event, { time, status: 'UNDONE' }, context.now);
}

/** Cancels all jobs of a lease. */
export async function cancelEvents({ db }: Context, leaseId: string): Promise<void> {
  for (const eventType of [...eventTypes, 'delete_lease'])
    await cancel(db, jobKind(eventType), leaseId);
}
