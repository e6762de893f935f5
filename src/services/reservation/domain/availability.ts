// What Blazar lacks: when resources are free, when a request could be granted at the earliest, and
// why one is refused.
import type { Micros } from '../../../kernel/clock.ts';
import { badRequest } from '../../../kernel/errors.ts';
import type { Context } from '../../../kernel/model.ts';
import { allocationsDuring } from '../store/allocations.ts';
import { floatingIpAllocations, listFloatingIps } from '../store/floating-ips.ts';
import { listHosts } from '../store/hosts.ts';
import { findReservations } from '../store/reservations.ts';
import { chooseHosts, chooseSlots } from './candidates/choice.ts';
import { judge, type Verdict } from './candidates/verdicts.ts';
import { dateFrom, minute, minuteOf } from './dates.ts';
import { floatingIpType, hostType, type Details, type Span } from '../model.ts';
import { chooseFloatingIps } from './resources/floating-ips.ts';
import { resourceTypeOf } from './resources/index.ts';
import { integerOf, malformed, missing, valuesOf } from './values.ts';

/** A time in which something is promised. */
export interface Busy extends Span {
  readonly resourceType: string;
  readonly slots: number;
}

/** A resource with the times in which it is not free, or not all of it. */
export interface Calendar {
  readonly resourceType: string;
  readonly resourceId: string;
  readonly reservable: boolean;
  readonly busy: readonly Busy[];
}

/** Reads a span of a query: without one, the next thirty days. @throws 400 */
export function readSpan(start: string | undefined, end: string | undefined, now: Micros): Span {
  const startAt = start === undefined ? minuteOf(now) : dateFrom(start, now);
  const endAt = end === undefined ? startAt + 30 * 24 * 60 * minute : dateFrom(end, now);
  if (endAt <= startAt) throw badRequest('End date must be later than start date.');
  return { startAt, endAt };
}

/**
 * The calendars of all resources, or of hosts or floating IPs alone. Whose reservations they are is
 * not told.
 */
export async function calendarsOf(
  context: Context,
  span: Span,
  resourceType?: string,
): Promise<Calendar[]> {
  const isIp = resourceType === floatingIpType;
  if (resourceType !== undefined) resourceTypeOf(resourceType);
  const hosts = isIp ? [] : await hostCalendars(context, span);
  return resourceType === undefined || isIp
    ? [...hosts, ...(await ipCalendars(context, span))]
    : hosts;
}

async function hostCalendars({ db }: Context, span: Span): Promise<Calendar[]> {
  const allocations = await allocationsDuring(db, span);
  const reservations = await findReservations(db, [
    ...new Set(allocations.map(({ reservationId }) => reservationId)),
  ]);
  const byHost = new Map<number, Busy[]>();
  for (const { hostId, reservationId, startAt, endAt, slots } of allocations) {
    const busy = {
      startAt,
      endAt,
      slots,
      resourceType: reservations.get(reservationId)!.resourceType,
    };
    byHost.set(hostId, [...(byHost.get(hostId) ?? []), busy]);
  }
  return (await listHosts(db)).map(({ id, reservable }) => ({
    resourceType: hostType,
    resourceId: String(id),
    reservable,
    busy: byHost.get(id) ?? [],
  }));
}

async function ipCalendars({ db }: Context, { startAt, endAt }: Span): Promise<Calendar[]> {
  const ips = await listFloatingIps(db);
  const allocations = (
    await floatingIpAllocations(
      db,
      ips.map(({ id }) => id),
    )
  ).filter((one) => one.endAt > startAt && one.startAt < endAt);
  return ips.map(({ id, reservable }) => ({
    resourceType: floatingIpType,
    resourceId: id,
    reservable,
    busy: allocations
      .filter(({ floatingIpId }) => floatingIpId === id)
      .map((one) => ({
        startAt: one.startAt,
        endAt: one.endAt,
        slots: 1,
        resourceType: floatingIpType,
      })),
  }));
}

interface Asked {
  readonly resourceType: string;
  readonly details: Details;
}

/** What is asked for: one reservation, as in a lease. @throws 400, 404, 409 */
async function readAsked(context: Context, body: unknown): Promise<Asked> {
  const { reservation } = valuesOf(body);
  if (reservation === undefined) throw missing('reservation');
  const { resource_type: resourceType, ...values } = valuesOf(reservation, 'reservation');
  if (typeof resourceType !== 'string') throw missing('resource_type');
  return { resourceType, details: await resourceTypeOf(resourceType).read(context, values) };
}

/** How many moments are tried at most. */
const mostTries = 500;

/**
 * When a reservation could begin at the earliest: at once, or when something else ends. The body
 * has `reservation`, the `duration` in minutes, and the `start_date` from which on it may be.
 * @returns undefined where it never could
 */
export async function nextSpan(context: Context, body: unknown): Promise<Span | undefined> {
  const { start_date: start = 'now', duration } = valuesOf(body);
  const length = integerOf(duration);
  if (duration === undefined) throw missing('duration');
  if (length === undefined || length < 1) throw malformed('duration');
  const from = Math.max(dateFrom(start, context.now), minuteOf(context.now));
  const asked = await readAsked(context, body);
  for (const startAt of await momentsAfter(context, from, asked)) {
    const span = { startAt, endAt: startAt + length * minute };
    if ((await verdictsOn(context, asked, span)).fits) return span;
  }
  return undefined;
}

/** The moments at which more may be free than before. */
async function momentsAfter({ db }: Context, from: Micros, { details }: Asked): Promise<Micros[]> {
  const forever = { startAt: from, endAt: Number.MAX_SAFE_INTEGER };
  const allocations =
    'networkId' in details
      ? await floatingIpAllocations(
          db,
          (await listFloatingIps(db, details.networkId)).map(({ id }) => id),
        )
      : await allocationsDuring(db, forever);
  const ends = allocations.map(({ endAt }) => endAt).filter((endAt) => endAt > from);
  return [...new Set([from, ...ends])].toSorted((a, b) => a - b).slice(0, mostTries);
}

/** Whether a reservation would be granted, and what speaks against each host. */
export interface Explanation {
  readonly fits: boolean;
  readonly verdicts: readonly Verdict[];
}

/** Explains what would become of a reservation with `start_date` and `end_date`. */
export async function explainRequest(context: Context, body: unknown): Promise<Explanation> {
  const { start_date: start, end_date: end } = valuesOf(body);
  const absent = Object.entries({ start_date: start, end_date: end }).filter(
    ([, value]) => value === undefined,
  );
  if (absent.length) throw missing(...absent.map(([name]) => name));
  const span = { startAt: dateFrom(start, context.now), endAt: dateFrom(end, context.now) };
  if (span.endAt <= span.startAt) throw badRequest('End date must be later than start date.');
  return verdictsOn(context, await readAsked(context, body), span);
}

async function verdictsOn(
  context: Context,
  { resourceType, details }: Asked,
  span: Span,
): Promise<Explanation> {
  if ('networkId' in details)
    return {
      fits: (await chooseFloatingIps(context, { details, ...span })) !== undefined,
      verdicts: [],
    };
  const verdicts = await judge(context, { resourceType, details, ...span });
  const chosen = 'min' in details ? chooseHosts(verdicts, details) : chooseSlots(verdicts, details);
  return { fits: chosen !== undefined, verdicts };
}
