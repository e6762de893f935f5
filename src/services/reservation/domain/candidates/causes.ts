// Finds why a host is unsuitable for a reservation. The choice of hosts stops at the first cause;
// an explanation lists all of them.
import type { Micros } from '../../../../kernel/clock.ts';
import { flavorType, type Amounts, type Host, type Span } from '../../model.ts';
import { dateText } from '../dates.ts';
import { matches, type Requirement } from '../requirements.ts';
import { capacityOf, countFits, tightestMoment, type TightestMoment } from './capacity.ts';
import { traitsOf, type HostsRead, type ReservationUsage, type Search } from './read.ts';

/** Why a host is unsuitable. */
export type HostCause =
  | { readonly cause: 'not_reservable' }
  | { readonly cause: 'requirement_unmet'; readonly requirement: Requirement }
  | { readonly cause: 'traits'; readonly traits: readonly string[] }
  /** Reservations in the way of one of the whole host. */
  | (Held & { readonly cause: 'reserved' })
  /** Reservations of the whole host in the way of instances. */
  | (Held & { readonly cause: 'reserved_whole' })
  /** Reservations of instances without a flavor, in the way of those of a flavor. */
  | (Held & { readonly cause: 'conflicting_types' })
  | { readonly cause: 'too_small'; readonly resource: string; readonly capacity: number }
  | { readonly cause: 'max_unit'; readonly resource: string; readonly maxUnit: number }
  | (Held & {
      readonly cause: 'full';
      /** How many instances the host has room for if nothing else is reserved. */
      readonly fits: number;
      /** The time at which it has the least room, and what is used then. */
      readonly at: Micros;
      readonly capacity: Amounts;
      readonly used: Amounts;
      readonly requested: Amounts;
    });

/** The usages that are in the way. */
interface Held {
  readonly holders: readonly ReservationUsage[];
}

/**
 * Yields every cause that makes a host unsuitable, in the order in which the search checks them.
 * @returns the number of free slots, if there is no cause
 */
export function* causesOn(
  host: Host,
  read: HostsRead,
  search: Search,
): Generator<HostCause, number> {
  if (!host.reservable) yield { cause: 'not_reservable' };
  const capabilities = read.capabilities.get(host.id);
  for (const requirement of read.requirements)
    if (!matches(host, requirement, capabilities?.get(requirement.key)))
      yield { cause: 'requirement_unmet', requirement };
  if (read.matching && !read.matching.has(host.hypervisorHostname))
    yield { cause: 'traits', traits: traitsOf(search) };
  const holders = holdersOn(host, read, search);
  const { details } = search;
  if ('demand' in details) return yield* slotCauses(host, holders, search, details.demand);
  if (holders.length) yield { cause: 'reserved', holders };
  return 1;
}

/** The usages of a host that a search regards: those that overlap its span. */
export function holdersOn(
  { id }: Host,
  { usages, cleaning }: HostsRead,
  { details, startAt, endAt }: Search,
): readonly ReservationUsage[] {
  // Only a reservation of the whole host needs the time for cleaning it.
  const padding = 'demand' in details ? 0 : cleaning;
  return (usages.get(id) ?? []).filter(
    (usage) => usage.endAt > startAt - padding && usage.startAt < endAt + padding,
  );
}

function* slotCauses(
  host: Host,
  overlapping: readonly ReservationUsage[],
  search: Search,
  demand: Amounts,
): Generator<HostCause, number> {
  const { resourceType } = search;
  const isOfFlavor = resourceType === flavorType;
  const whole = overlapping.filter((usage) => usage.demand === undefined);
  if (whole.length) yield { cause: 'reserved_whole', holders: whole };
  const parts = overlapping.filter((usage) => usage.demand !== undefined);
  // Reservations of flavors use Placement's inventory, which may be larger than the host because of
  // allocation ratios. They cannot share a host with other instances, which use its real size.
  const others = isOfFlavor ? parts.filter((usage) => usage.resourceType !== flavorType) : [];
  if (others.length) yield { cause: 'conflicting_types', holders: others };
  const capacity = capacityOf(host, resourceType);
  for (const [resource, amount] of Object.entries(demand)) {
    const own = capacity[resource] ?? 0;
    if (amount > own) yield { cause: 'too_small', resource, capacity: own };
  }
  for (const [resource, amount] of isOfFlavor ? Object.entries(demand) : []) {
    const maxUnit = host.stocks[resource]?.maxUnit ?? 0;
    if (amount > maxUnit) yield { cause: 'max_unit', resource, maxUnit };
  }
  const holders = isOfFlavor ? parts.filter((usage) => !others.includes(usage)) : parts;
  const tightest = momentOn(host, overlapping, search, demand);
  if (!tightest.slots && holders.length) {
    const fits = countFits(capacity, {}, demand);
    const { at, used } = tightest;
    if (fits) yield { cause: 'full', holders, fits, at, capacity, used, requested: demand };
  }
  return tightest.slots;
}

/** The time at which a host has the least room for instances beside other instances. */
function momentOn(
  host: Host,
  overlapping: readonly ReservationUsage[],
  { resourceType, startAt, endAt }: Search,
  demand: Amounts,
): TightestMoment {
  const parts = overlapping.filter((usage) => usage.demand !== undefined);
  const usages =
    resourceType === flavorType
      ? parts.filter((usage) => usage.resourceType === flavorType)
      : parts.map(withDedicatedAsVcpus);
  return tightestMoment(capacityOf(host, resourceType), demand, usages, { startAt, endAt });
}

/** What a host has free for instances throughout a span, by resource class. */
export function freeOn(host: Host, read: HostsRead, search: Search, demand: Amounts): Amounts {
  const capacity = capacityOf(host, search.resourceType);
  const { used } = momentOn(host, holdersOn(host, read, search), search, demand);
  return Object.fromEntries(
    Object.keys(demand).map((name) => [name, (capacity[name] ?? 0) - (used[name] ?? 0)]),
  );
}

/** Counts dedicated processors as VCPUs, because Compute's figures do not distinguish them. */
const withDedicatedAsVcpus = (usage: ReservationUsage): ReservationUsage => {
  const { VCPU: shared = 0, PCPU: dedicated } = usage.demand ?? {};
  return dedicated ? { ...usage, demand: { ...usage.demand, VCPU: shared + dedicated } } : usage;
};

/** A requirement as a client writes it. */
export const requirementText = ({ operator, key, value }: Requirement): string =>
  JSON.stringify([operator, `$${key}`, value]);

/** A cause as a phrase that follows the name of the host. */
export function reasonOf(
  cause: HostCause | { readonly cause: 'reserved'; readonly holders: readonly Span[] },
): string {
  switch (cause.cause) {
    case 'not_reservable':
      return 'is not reservable';
    case 'requirement_unmet':
      return `does not meet ${requirementText(cause.requirement)}`;
    case 'traits':
      return `does not have the traits ${cause.traits.join(', ')}`;
    case 'reserved':
      return `is reserved ${during(cause.holders[0]!)}`;
    case 'reserved_whole':
      return `is reserved as a whole ${during(cause.holders[0]!)}`;
    case 'conflicting_types':
      return 'has reservations of another type';
    case 'too_small':
      return `is too small: ${cause.capacity} ${cause.resource}`;
    case 'max_unit':
      return `gives ${cause.maxUnit} ${cause.resource} to one instance at most`;
    case 'full':
      return `has no room left beside other reservations (${cause.fits} fit)`;
  }
}

/** A span in words, to the minute. */
export const during = ({ startAt, endAt }: Span): string =>
  `from ${dateText(startAt).slice(0, 16)} to ${dateText(endAt).slice(0, 16)}`;
