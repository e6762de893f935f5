// Chooses floating IPs for a reservation, and answers why there are too few.
import type { Context } from '../../../../kernel/model.ts';
import {
  floatingIpAllocations,
  listFloatingIps,
  type FloatingIpAllocation,
} from '../../store/floating-ips.ts';
import { leasesOfReservations } from '../../store/reservations.ts';
import { floatingIpType, type FloatingIp, type FloatingIpDetails, type Span } from '../../model.ts';
import type { Cause, Change, Question, Resource } from '../explanation/question.ts';
import { RefusedReservation } from '../refusals.ts';

/** The requested floating IPs and dates. */
export interface FloatingIpSearch extends Span {
  readonly details: FloatingIpDetails;
  /** The id of the reservation that the search is for: its own allocations count as free. */
  readonly exceptReservation?: string;
  /** The ids of floating IPs to keep if possible. */
  readonly kept?: readonly string[];
  /** The ids of floating IPs that an active reservation must keep. */
  readonly mustKeep?: readonly string[];
  /** The lease that the reservation belongs to. */
  readonly ownLease?: string;
}

/** Everything that the choice of floating IPs depends on. */
interface FloatingIpsRead {
  /** All floating IPs of the network. */
  readonly ips: readonly FloatingIp[];
  /** Their past, current and future allocations. */
  readonly allocations: readonly FloatingIpAllocation[];
}

async function readFloatingIps(
  { db }: Context,
  { details, exceptReservation }: FloatingIpSearch,
): Promise<FloatingIpsRead> {
  const ips = await listFloatingIps(db, details.networkId);
  const ids = ips.map(({ id }) => id);
  return { ips, allocations: await floatingIpAllocations(db, ids, exceptReservation) };
}

/** Finds floating IPs for a reservation. @returns undefined if there are too few */
export const findFloatingIps = async (
  context: Context,
  search: FloatingIpSearch,
): Promise<FloatingIp[] | undefined> =>
  chooseFloatingIps(await readFloatingIps(context, search), search);

/**
 * Chooses floating IPs in this order: the required ones, those to keep, those without any
 * reservation, then the others that are free during the span.
 * @returns undefined if there are too few
 */
function chooseFloatingIps(
  { ips, allocations }: FloatingIpsRead,
  { details, kept = [], ...span }: FloatingIpSearch,
): FloatingIp[] | undefined {
  const { amount, required } = details;
  const rank = (ip: FloatingIp): number => {
    if (required.includes(ip.address)) return 0;
    if (kept.includes(ip.id)) return 1;
    return allocations.some(({ floatingIpId }) => floatingIpId === ip.id) ? 3 : 2;
  };
  const free = ips
    .filter((ip) => causesOn(ip, allocations, span).next().done)
    .toSorted((a, b) => rank(a) - rank(b));
  const isRequiredMissing = required.some((address) => !free.some((ip) => ip.address === address));
  return isRequiredMissing || free.length < amount ? undefined : free.slice(0, amount);
}

/** Yields every cause that makes a floating IP unsuitable. */
function* causesOn(
  { id, reservable }: FloatingIp,
  allocations: readonly FloatingIpAllocation[],
  { startAt, endAt }: Span,
): Generator<IpCause> {
  if (!reservable) yield { cause: 'not_reservable' };
  const holders = allocations.filter(
    (one) => one.floatingIpId === id && one.endAt > startAt && one.startAt < endAt,
  );
  if (holders.length) yield { cause: 'reserved', holders };
}

type IpCause =
  | { readonly cause: 'not_reservable' }
  | { readonly cause: 'reserved'; readonly holders: readonly FloatingIpAllocation[] };

/** The error if there are too few floating IPs. */
export const tooFewFloatingIps = (search: FloatingIpSearch): RefusedReservation =>
  refusedFloatingIps('Not enough floating IPs available', search);

/** An error that a choice of floating IPs leads to, with what the choice was for. */
const refusedFloatingIps = (message: string, search: FloatingIpSearch): RefusedReservation =>
  new RefusedReservation(400, message, undefined, {
    refused: 'resources',
    ask: (context) => floatingIpQuestion(context, search),
  });

/** Reads what the choice depends on. It includes the reservations after its span. */
export async function floatingIpQuestion(
  context: Context,
  search: FloatingIpSearch,
): Promise<Question> {
  const read = await readFloatingIps(context, search);
  const { ips, allocations } = read;
  const leases = await leasesOfReservations(
    context.db,
    allocations.map(({ reservationId }) => reservationId),
  );
  const leaseOf = ({ reservationId }: FloatingIpAllocation): string => leases.get(reservationId)!;
  const { startAt, endAt, details, mustKeep = [] } = search;
  const { amount, required } = details;

  /** What would be read after some changes. */
  const assuming = (changes: readonly Change[]): FloatingIpsRead => {
    const has = (change: Change['change'], id: string): boolean =>
      changes.some((one) =>
        one.change === 'end_lease'
          ? change === 'end_lease' && one.leaseId === id
          : change === 'make_reservable' && one.id === id,
      );
    return {
      ips: ips.map((ip) => (has('make_reservable', ip.id) ? { ...ip, reservable: true } : ip)),
      allocations: allocations.filter((one) => !has('end_lease', leaseOf(one))),
    };
  };

  const resourceOf = (ip: FloatingIp): Resource => {
    const causes = [...causesOn(ip, allocations, search)];
    const holders = causes.flatMap((one) => ('holders' in one ? one.holders : []));
    const { id, address: name } = ip;
    return {
      id,
      name,
      slots: causes.length ? 0 : 1,
      causes: causes.map((one): Cause =>
        one.cause === 'reserved'
          ? {
              cause: 'reserved',
              holders: one.holders.map((holder) => ({
                startAt: holder.startAt,
                endAt: holder.endAt,
                slots: 1,
                leaseId: leaseOf(holder),
              })),
            }
          : one,
      ),
      changes: [
        ...(ip.reservable ? [] : [{ change: 'make_reservable' as const, id, name }]),
        ...holders.map((one) => ({
          change: 'end_lease' as const,
          leaseId: leaseOf(one),
          endAt: one.endAt,
        })),
      ],
    };
  };

  return {
    resourceType: floatingIpType,
    ownLease: search.ownLease,
    span: { startAt, endAt },
    amount,
    kept: Math.max(required.length, mustKeep.length),
    releases: [...new Set(allocations.map((one) => one.endAt))].toSorted((a, b) => a - b),
    fits({ span, amount: other = amount, changes = [] } = {}) {
      const asked = { ...search, ...span, details: { ...details, amount: other } };
      const chosen = chooseFloatingIps(changes.length ? assuming(changes) : read, asked);
      return chosen !== undefined && mustKeep.every((id) => chosen.some((ip) => ip.id === id));
    },
    resources: () => [
      ...required
        .filter((address) => !ips.some((ip) => ip.address === address))
        .map((address): Resource => ({
          id: address,
          name: address,
          slots: 0,
          causes: [{ cause: 'unknown_address' }],
          changes: [],
        })),
      ...ips.map(resourceOf),
    ],
  };
}
