// Updates a lease: its name, its dates, and its reservations. An error leaves the lease unchanged.
import { badRequest, conflict } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { restoreTrust } from '../../clients/identity.ts';
import { updateLease, type LeaseChanges } from '../../store/leases.ts';
import { readDate, minute, minuteOf } from '../dates.ts';
import { checkDuration, checkExternally } from '../enforcement.ts';
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
import { explained } from '../explanation/record.ts';
import { resourceTypeOf } from '../resources/index.ts';
import { loadSettings } from '../settings.ts';
import type { Values } from '../values.ts';
import { checkBeforeEnd, moveEvent } from './events.ts';
import { notifyLease } from './notifications.ts';
import { readChange, type LeaseChange } from './requests.ts';
import { derivedStatus, eventOf, invalidStatus, isInTransition } from './status.ts';

const updatableStatuses = ['PENDING', 'ACTIVE', 'TERMINATED', 'ERROR'];

/** Updates a lease. @throws 400, 403, 404, 409; 500 if there are not enough hosts */
export async function updateWholeLease(
  context: Context,
  whole: WholeLease,
  body: unknown,
): Promise<WholeLease> {
  const change = readChange(body);
  const { lease, events } = whole;
  if (!updatableStatuses.includes(lease.status) || isInTransition(events)) throw invalidStatus();
  if (change.isRename && change.name === undefined) return whole;
  const status = derivedStatus(events);
  await restoreTrust(context, lease);
  if (change.isRename)
    return { ...whole, lease: await write(context, lease, { name: change.name!, status }) };
  const span = readSpan(context, whole, change);
  const start = eventOf(events, startEvent);
  const isMovable = start?.status === 'UNDONE';
  const { id, name } = lease;
  return explained(context, { operation: 'update', id, name, isMovable }, () =>
    update(context, whole, change, span),
  );
}

async function update(
  context: Context,
  whole: WholeLease,
  change: LeaseChange,
  span: Span,
): Promise<WholeLease> {
  const { lease } = whole;
  const reservationChanges = readReservations(whole, change);
  const beforeEnd =
    change.beforeEnd === undefined ? undefined : readDate(change.beforeEnd, context.now);
  if (beforeEnd !== undefined) checkBeforeEnd(beforeEnd, span);
  await checkDuration(context, { ...lease, ...span }, 'update');
  const reservations: Reservation[] = [];
  for (const reservation of whole.reservations) {
    const type = resourceTypeOf(reservation.resourceType);
    const values = reservationChanges.get(reservation.id) ?? {};
    reservations.push(await type.update(context, { lease, reservation, span, values }));
  }
  await checkExternally(context, { lease: { ...lease, ...span }, reservations }, whole);
  const moved = await moveEvents(context, whole, span, beforeEnd);
  const name = change.name === undefined ? {} : { name: change.name };
  const written = await write(context, lease, { ...name, ...span, status: derivedStatus(moved) });
  const updated = { lease: written, reservations, events: moved };
  await notifyLease(context, 'update', () => updated);
  return updated;
}

const write = (context: Context, lease: Lease, changes: LeaseChanges): Promise<Lease> =>
  updateLease(context.db, lease, changes, context.now);

/** Reads the new dates of the lease. @throws 400 */
function readSpan({ now }: Context, { lease, events }: WholeLease, change: LeaseChange): Span {
  const startAt = change.startDate === undefined ? lease.startAt : readDate(change.startDate, now);
  const endAt = change.endDate === undefined ? lease.endAt : readDate(change.endDate, now);
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

/** Reads the changes of reservations, by id. @throws 400, 409 */
function readReservations({ reservations }: WholeLease, change: LeaseChange): Map<string, Values> {
  const changes = new Map<string, Values>();
  const types = new Map(reservations.map(({ id, resourceType }) => [id, resourceType]));
  if (change.reservations.some(({ id }) => typeof id !== 'string'))
    throw badRequest('Missing parameter reservation ID');
  for (const values of change.reservations) changes.set(values['id'] as string, values);
  const unknown = [...changes.keys()].filter((id) => !types.has(id));
  if (unknown.length)
    throw badRequest(
      'Please enter valid reservation IDs. Invalid reservation IDs are: ' +
        unknown.join(',').slice(0, 500),
    );
  for (const [id, { resource_type: type }] of changes)
    if (type !== undefined && type !== types.get(id))
      throw conflict('resource_type cannot be updated');
  return changes;
}

/**
 * Moves the events with the dates. The `before_end_lease` event keeps its distance to the end, and
 * happens again if it has happened already.
 */
async function moveEvents(
  context: Context,
  { lease, events }: WholeLease,
  span: Span,
  beforeEnd: number | undefined,
): Promise<LeaseEvent[]> {
  const moved: LeaseEvent[] = [];
  for (const event of events) {
    const time = await findEventTime(context, event, lease, span, beforeEnd);
    moved.push(
      time === undefined || time === event.time ? event : await moveEvent(context, event, time),
    );
  }
  return moved;
}

/** The new time of an event; undefined if it does not move. */
async function findEventTime(
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
  // If the start of the lease has shortened the distance to the end, the default distance applies
  // again.
  const { minutesBeforeEndLease } = await loadSettings(context);
  const distance =
    time === lease.startAt
      ? Math.max(lease.endAt - time, minutesBeforeEndLease * minute)
      : lease.endAt - time;
  return Math.max(startAt, endAt - distance);
}
