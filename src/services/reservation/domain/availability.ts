// An addition to Blazar's API: when resources are free, the earliest time for a reservation, and
// why a reservation is impossible.
import type { Micros } from '../../../kernel/clock.ts';
import { badRequest } from '../../../kernel/errors.ts';
import type { Context } from '../../../kernel/model.ts';
import { allocationsDuring } from '../store/allocations.ts';
import { floatingIpAllocations, listFloatingIps } from '../store/floating-ips.ts';
import { grouped } from '../../../kernel/db/grouping.ts';
import { listHosts } from '../store/hosts.ts';
import { leasesById } from '../store/leases.ts';
import { floatingIpQuestion } from './candidates/floating-ips.ts';
import { hostQuestion } from './candidates/question.ts';
import { wantedBy } from './candidates/wanted.ts';
import { readDate, minute, minuteOf } from './dates.ts';
import { floatingIpType, hostType, type Details, type Lease, type Span } from '../model.ts';
import { durationRefusal } from './enforcement.ts';
import {
  alternativesTo,
  largestAmount,
  nextSpan,
  type Alternatives,
} from './explanation/alternatives.ts';
import { leasesIn } from './explanation/describe.ts';
import type { Question, Resource } from './explanation/question.ts';
import type { DurationRefusal } from './refusals.ts';
import { resourceTypeOf } from './resources/index.ts';
import { readInteger, malformed, missing, readObject } from './values.ts';

/** A span of time in which slots of a resource are reserved. */
export interface BusySpan extends Span {
  readonly resourceType: string;
  readonly slots: number;
}

/** A resource with the times in which it is reserved, wholly or in part. */
export interface Calendar {
  readonly resourceType: string;
  readonly resourceId: string;
  readonly reservable: boolean;
  readonly busy: readonly BusySpan[];
}

/** Reads the span of a query; by default, the next thirty days. @throws 400 */
export function readSpan(start: string | undefined, end: string | undefined, now: Micros): Span {
  const startAt = start === undefined ? minuteOf(now) : readDate(start, now);
  const endAt = end === undefined ? startAt + 30 * 24 * 60 * minute : readDate(end, now);
  if (endAt <= startAt) throw badRequest('End date must be later than start date.');
  return { startAt, endAt };
}

/**
 * Lists the calendars of all resources, or of hosts or floating IPs only. They do not include the
 * owners of reservations.
 */
export async function listCalendars(
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
  const byHost = grouped(await allocationsDuring(db, span), ({ hostId }) => hostId);
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
  ).filter((allocation) => allocation.endAt > startAt && allocation.startAt < endAt);
  return ips.map(({ id, reservable }) => ({
    resourceType: floatingIpType,
    resourceId: id,
    reservable,
    busy: allocations
      .filter(({ floatingIpId }) => floatingIpId === id)
      .map((allocation) => ({
        startAt: allocation.startAt,
        endAt: allocation.endAt,
        slots: 1,
        resourceType: floatingIpType,
      })),
  }));
}

/** The resources that a request asks about. */
interface RequestedResources {
  readonly resourceType: string;
  readonly details: Details;
}

/** Reads one reservation, in the format of those of a lease. @throws 400, 404, 409 */
async function readReservation(context: Context, body: unknown): Promise<RequestedResources> {
  const { reservation } = readObject(body);
  if (reservation === undefined) throw missing('reservation');
  const { resource_type: resourceType, ...values } = readObject(reservation, 'reservation');
  if (typeof resourceType !== 'string') throw missing('resource_type');
  return { resourceType, details: await resourceTypeOf(resourceType).read(context, values) };
}

/**
 * Finds the earliest span in which a reservation is possible. It starts at `start_date` or when
 * another reservation releases its resources. The body has `reservation`, `duration` in minutes,
 * and `start_date`.
 * @returns undefined if no span fits
 */
export async function findNextSpan(context: Context, body: unknown): Promise<Span | undefined> {
  const { start_date: start = 'now', duration } = readObject(body);
  const length = readInteger(duration);
  if (duration === undefined) throw missing('duration');
  if (length === undefined || length < 1) throw malformed('duration');
  const startAt = Math.max(readDate(start, context.now), minuteOf(context.now));
  const span = { startAt, endAt: startAt + length * minute };
  return nextSpan(await questionOf(context, await readReservation(context, body), span), span);
}

/** Whether a reservation is possible, and what was read to find that out. */
export interface Explanation {
  readonly question: Question;
  readonly fits: boolean;
  readonly resources: readonly Resource[];
  readonly alternatives: Alternatives;
  /** Why the lease would be too long; undefined if it would not. */
  readonly tooLong: DurationRefusal | undefined;
  /** The leases that are mentioned; undefined if the caller may not see the owners. */
  readonly leases: ReadonlyMap<string, Lease> | undefined;
}

/** Explains whether a reservation from `start_date` to `end_date` is possible. */
export async function explainRequest(context: Context, body: unknown): Promise<Explanation> {
  const { start_date: start, end_date: end } = readObject(body);
  const absent = Object.entries({ start_date: start, end_date: end }).filter(
    ([, value]) => value === undefined,
  );
  if (absent.length) throw missing(...absent.map(([name]) => name));
  const span = { startAt: readDate(start, context.now), endAt: readDate(end, context.now) };
  if (span.endAt <= span.startAt) throw badRequest('End date must be later than start date.');
  const question = await questionOf(context, await readReservation(context, body), span);
  const { actor, db } = context;
  const resources = question.resources();
  const fits = question.fits();
  const alternatives = fits
    ? { next: span, largest: largestAmount(question), changes: [] }
    : alternativesTo(question, true);
  return {
    question,
    fits,
    resources,
    alternatives,
    tooLong: await durationRefusal(context, { ...span, projectId: actor.projectId ?? '' }),
    leases: actor.isAdmin ? await leasesById(db, leasesIn(resources, alternatives)) : undefined,
  };
}

/** The question whether a reservation is possible, which has no lease yet. */
function questionOf(
  context: Context,
  { resourceType, details }: RequestedResources,
  span: Span,
): Promise<Question> {
  if ('networkId' in details) return floatingIpQuestion(context, { details, ...span });
  return hostQuestion(context, wantedBy({ resourceType, details, ...span }));
}
