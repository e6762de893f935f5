// Changing a lease: its name, its dates, and what is reserved. What is refused leaves the lease as
// it was, whatever the reason.
import { badRequest, conflict } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { updateLease, type LeaseChanges } from '../../store/leases.ts';
import { dateFrom, minute, minuteOf } from '../dates.ts';
import { checkDuration, checkOutside } from '../enforcement.ts';
import {
  beforeEndEvent,
  endEvent,
  startEvent,
  type LeaseEvent,
  type Lease,
  type Reservation,
  type Span,
  type WholeLease,
} from '../../model.ts';
import { resourceTypeOf } from '../resources/index.ts';
import { settingsOf } from '../settings.ts';
import type { Values } from '../values.ts';
import { checkBeforeEnd, moveEvent } from './events.ts';
import { readChange, type LeaseChange } from './requests.ts';
import { derivedStatus, eventOf, invalidStatus, isBusy } from './status.ts';

const changeable = ['PENDING', 'ACTIVE', 'TERMINATED', 'ERROR'];

/** Changes a lease. @throws 400, 403, 404, 409; 500 where there are not enough hosts */
export async function changeLease(
  context: Context,
  whole: WholeLease,
  body: unknown,
): Promise<WholeLease> {
  const change = readChange(body);
  const { lease, events } = whole;
  if (!changeable.includes(lease.status) || isBusy(events)) throw invalidStatus();
  if (change.isRename && change.name === undefined) return whole;
  const status = derivedStatus(events);
  if (change.isRename)
    return { ...whole, lease: await write(context, lease, { name: change.name!, status }) };
  const span = readSpan(context, whole, change);
  const asked = readReservations(whole, change);
  const beforeEnd =
    change.beforeEnd === undefined ? undefined : dateFrom(change.beforeEnd, context.now);
  if (beforeEnd !== undefined) checkBeforeEnd(beforeEnd, span);
  await checkDuration(context, { ...lease, ...span }, 'update');
  const reservations: Reservation[] = [];
  for (const reservation of whole.reservations) {
    const type = resourceTypeOf(reservation.resourceType);
    const values = asked.get(reservation.id) ?? {};
    reservations.push(await type.update(context, { lease, reservation, span, values }));
  }
  await checkOutside(context, { lease: { ...lease, ...span }, reservations }, whole);
  const moved = await moveEvents(context, whole, span, beforeEnd);
  const name = change.name === undefined ? {} : { name: change.name };
  const written = await write(context, lease, { ...name, ...span, status: derivedStatus(moved) });
  return { lease: written, reservations, events: moved };
}

const write = (context: Context, lease: Lease, changes: LeaseChanges): Promise<Lease> =>
  updateLease(context.db, lease, changes, context.now);

/** The dates that the lease will have. @throws 400 */
function readSpan({ now }: Context, { lease, events }: WholeLease, change: LeaseChange): Span {
  const startAt = change.startDate === undefined ? lease.startAt : dateFrom(change.startDate, now);
  const endAt = change.endDate === undefined ? lease.endAt : dateFrom(change.endDate, now);
  const current = minuteOf(now);
  const start = eventOf(events, startEvent);
  const hasStarted = start?.status !== 'UNDONE' || lease.startAt < current;
  if (hasStarted && startAt !== lease.startAt)
    throw badRequest('Cannot modify the start date of already started leases');
  if (!hasStarted && startAt < current)
    throw badRequest('Start date must be later than current date');
  if (eventOf(events, endEvent)?.status === 'DONE' || lease.endAt < current)
    throw badRequest('Terminated leases can only be renamed');
  if (endAt < current || endAt < startAt)
    throw badRequest('End date must be later than current and start date');
  return { startAt, endAt };
}

/** What is to change of each reservation. @throws 400, 409 */
function readReservations({ reservations }: WholeLease, change: LeaseChange): Map<string, Values> {
  const asked = new Map<string, Values>();
  const known = new Map(reservations.map((one) => [one.id, one.resourceType]));
  if (change.reservations.some(({ id }) => typeof id !== 'string'))
    throw badRequest('Missing parameter reservation ID');
  for (const values of change.reservations) asked.set(values['id'] as string, values);
  const foreign = [...asked.keys()].filter((id) => !known.has(id));
  if (foreign.length)
    throw badRequest(
      `Please enter valid reservation IDs. Invalid reservation IDs are: ${foreign.join(',').slice(0, 500)}`,
    );
  for (const [id, { resource_type: type }] of asked)
    if (type !== undefined && type !== known.get(id))
      throw conflict('resource_type cannot be updated');
  return asked;
}

/**
 * Moves the events with the dates. The one before the end keeps its distance, and happens again
 * where it has happened.
 */
async function moveEvents(
  context: Context,
  { lease, events }: WholeLease,
  span: Span,
  beforeEnd: number | undefined,
): Promise<LeaseEvent[]> {
  const moved: LeaseEvent[] = [];
  for (const event of events) {
    const time = await timeOf(context, event, lease, span, beforeEnd);
    moved.push(
      time === undefined || time === event.time ? event : await moveEvent(context, event, time),
    );
  }
  return moved;
}

async function timeOf(
  context: Context,
  { eventType, time, status }: LeaseEvent,
  lease: Lease,
  { startAt, endAt }: Span,
  beforeEnd: number | undefined,
): Promise<number | undefined> {
  if (time === null) return undefined;
  if (eventType === startEvent) return status === 'UNDONE' ? startAt : undefined;
  if (eventType === endEvent) return endAt;
  if (eventType !== beforeEndEvent) return undefined;
  if (beforeEnd !== undefined) return beforeEnd;
  // A lead that the start has cut short is the usual one again, where there is room for it.
  const { minutesBeforeEndLease } = await settingsOf(context);
  const lead =
    time === lease.startAt
      ? Math.max(lease.endAt - time, minutesBeforeEndLease * minute)
      : lease.endAt - time;
  return Math.max(startAt, endAt - lead);
}
