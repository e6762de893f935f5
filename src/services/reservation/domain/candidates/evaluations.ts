// Evaluates each host for a reservation: how many slots are free, or why there are none. Both the
// choice of hosts and the explanation of an error use these evaluations.
import { badRequest, conflict, ApiError } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { providersWithTraits } from '../../clients/placement.ts';
import { allocationsDuring, allocatedHostIds } from '../../store/allocations.ts';
import { listCapabilities, findProperty, listHosts } from '../../store/hosts.ts';
import { grouped } from '../../../../kernel/db/grouping.ts';
import { findReservations } from '../../store/reservations.ts';
import { dateText, minute } from '../dates.ts';
import {
  flavorType,
  type Host,
  type HostDetails,
  type InstanceDetails,
  type Span,
} from '../../model.ts';
import { isColumn, matches, readRequirements, type Requirement } from '../requirements.ts';
import { loadSettings } from '../settings.ts';
import { capacityOf, freeSlots, countFits, type Usage } from './capacity.ts';

/** A host with its number of free slots, or the reason why it has none. */
export interface HostEvaluation {
  readonly host: Host;
  readonly slots: number;
  /** A phrase that follows the name of the host; undefined if the host is suitable. */
  readonly reason?: string;
  /** Whether it has a reservation at any time. */
  readonly inUse: boolean;
}

/** The requested resources and dates. */
export interface Search extends Span {
  readonly resourceType: string;
  readonly details: HostDetails | InstanceDetails;
  /** The id of the reservation that the search is for: its own allocations count as free. */
  readonly exceptReservation?: string;
}

/** Evaluates all hosts, in the order of their ids. @throws 400 for a malformed requirement */
export async function evaluateHosts(context: Context, search: Search): Promise<HostEvaluation[]> {
  const requirements = requirementsOf(search);
  const hosts = await listHosts(context.db);
  const capabilities = await readCapabilities(context, requirements);
  const usages = await usagesDuring(context, search);
  const allocated = await allocatedHostIds(context.db, search.exceptReservation);
  const traits = 'traits' in search.details ? search.details.traits : [];
  const matching = traits.length ? await providersWithTraits(context, traits) : undefined;
  return hosts.map((host) => {
    const unmet = requirements.find(
      (requirement) => !matches(host, requirement, capabilities.get(host.id)?.get(requirement.key)),
    );
    const reason = !host.reservable
      ? 'is not reservable'
      : unmet
        ? `does not meet ${JSON.stringify([unmet.operator, `$${unmet.key}`, unmet.value])}`
        : matching && !matching.has(host.hypervisorHostname)
          ? `does not have the traits ${traits.join(', ')}`
          : undefined;
    const result =
      reason === undefined
        ? freeSlotsOn(host, usages.get(host.id) ?? [], search)
        : { slots: 0, reason };
    return { host, inUse: allocated.has(host.id), ...result };
  });
}

function requirementsOf({ details }: Search): Requirement[] {
  if ('hypervisorProperties' in details)
    return [
      ...readRequirements(details.hypervisorProperties),
      ...readRequirements(details.resourceProperties),
    ];
  return 'traits' in details && hasSourceFlavor(details)
    ? []
    : readRequirements(details.resourceProperties);
}

/** A reservation of a flavor stores the source flavor in the field for requirements. */
const hasSourceFlavor = ({ resourceProperties }: InstanceDetails): boolean =>
  resourceProperties.startsWith('{');

/**
 * Reads the capabilities that requirements refer to, by host id and name.
 * @throws 400 for a property that no host has ever had
 */
async function readCapabilities(
  context: Context,
  requirements: readonly Requirement[],
): Promise<ReadonlyMap<number, ReadonlyMap<string, string>>> {
  const names = [...new Set(requirements.map(({ key }) => key).filter((key) => !isColumn(key)))];
  const byHost = new Map<number, Map<string, string>>();
  if (!names.length) return byHost;
  for (const name of names)
    if (!(await findProperty(context.db, name)))
      throw badRequest(`No host has the property ${name.slice(0, 64)}`);
  for (const { hostId, name, value } of await listCapabilities(context.db, { name: names })) {
    const capabilities = byHost.get(hostId) ?? new Map<string, string>();
    byHost.set(hostId, capabilities.set(name, value));
  }
  return byHost;
}

/** A usage with the resource type of its reservation. */
interface TypedUsage extends Usage {
  readonly resourceType: string;
}

/**
 * Reads the usages of hosts during a span, by host id. The span is extended by the time for
 * cleaning a host between two host reservations.
 */
async function usagesDuring(
  context: Context,
  { startAt, endAt, exceptReservation }: Search,
): Promise<Map<number, TypedUsage[]>> {
  const cleaning = (await loadSettings(context)).cleaningTime * minute;
  const padded = { startAt: startAt - cleaning, endAt: endAt + cleaning };
  const allocations = await allocationsDuring(context.db, padded, exceptReservation);
  const reservations = await findReservations(
    context.db,
    allocations.map(({ reservationId }) => reservationId),
  );
  const usages = allocations.map(({ reservationId, ...allocation }) => {
    const { details, resourceType } = reservations.get(reservationId)!;
    const demand = 'demand' in details ? details.demand : undefined;
    return { ...allocation, resourceType, demand };
  });
  return grouped(usages, ({ hostId }) => hostId);
}

function freeSlotsOn(
  host: Host,
  usages: readonly TypedUsage[],
  search: Search,
): { slots: number; reason?: string } {
  const { details, resourceType } = search;
  if (!('demand' in details)) {
    const [other] = usages;
    return other ? { slots: 0, reason: `is reserved ${during(other)}` } : { slots: 1 };
  }
  const overlapping = usages.filter(
    (usage) => usage.endAt > search.startAt && usage.startAt < search.endAt,
  );
  const whole = overlapping.find(({ demand }) => demand === undefined);
  if (whole) return { slots: 0, reason: `is reserved as a whole ${during(whole)}` };
  // Reservations of flavors use Placement's inventory, which may be larger than the host because of
  // allocation ratios. They cannot share a host with other instances, which use its real size.
  if (resourceType === flavorType && overlapping.some((usage) => usage.resourceType !== flavorType))
    return { slots: 0, reason: conflicting };
  const capacity = capacityOf(host, resourceType);
  const tooLarge = Object.entries(details.demand).find(
    ([name, amount]) => amount > (capacity[name] ?? 0),
  );
  if (tooLarge)
    return { slots: 0, reason: `is too small: ${capacity[tooLarge[0]] ?? 0} ${tooLarge[0]}` };
  const aboveUnit = Object.entries(details.demand).find(
    ([name, amount]) => resourceType === flavorType && amount > host.stocks[name]!.maxUnit,
  );
  if (aboveUnit)
    return {
      slots: 0,
      reason: `gives ${host.stocks[aboveUnit[0]]!.maxUnit} ${aboveUnit[0]} to one instance at most`,
    };
  const slots = freeSlots(
    capacity,
    details.demand,
    resourceType === flavorType ? overlapping : overlapping.map(withDedicatedAsVcpus),
    search,
  );
  if (slots) return { slots };
  return {
    slots: 0,
    reason:
      'has no room left beside other reservations ' +
      `(${countFits(capacity, {}, details.demand)} fit)`,
  };
}

/** Counts dedicated processors as VCPUs, because Compute's figures do not distinguish them. */
const withDedicatedAsVcpus = (usage: TypedUsage): TypedUsage => {
  const { VCPU: shared = 0, PCPU: dedicated } = usage.demand ?? {};
  return dedicated ? { ...usage, demand: { ...usage.demand, VCPU: shared + dedicated } } : usage;
};

const conflicting = 'has reservations of another type';

const during = ({ startAt, endAt }: Span): string =>
  `from ${dateText(startAt).slice(0, 16)} to ${dateText(endAt).slice(0, 16)}`;

/** A reason, and the number of hosts that are unsuitable because of it. */
export interface Reason {
  readonly reason: string;
  readonly hosts: number;
}

/**
 * Counts the hosts by reason, the most frequent reason first. Includes a reason for suitable hosts:
 * that there were too few of them.
 */
export function countReasons(evaluations: readonly HostEvaluation[]): Reason[] {
  const counts = new Map<string, number>();
  for (const { reason, slots } of evaluations) {
    const text =
      reason ?? `is free${slots > 1 ? ` (${slots} slots)` : ''}, but there are too few of them`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts]
    .map(([reason, hosts]) => ({ reason, hosts }))
    .toSorted((a, b) => b.hosts - a.hosts);
}

/** Blazar's error for too few hosts. The reasons, with their numbers of hosts, are an addition. */
export class NotEnoughHosts extends ApiError {
  readonly reasons: readonly Reason[];
  constructor(evaluations: readonly HostEvaluation[]) {
    super(500, 'Not enough hosts available', { code: 'reservation.not_enough_hosts' });
    this.reasons = countReasons(evaluations).slice(0, 20);
  }
}

export function notEnoughHosts(evaluations: readonly HostEvaluation[]): ApiError {
  if (evaluations.some(({ reason }) => reason === conflicting))
    return conflict('Conflicting reservation types found');
  return new NotEnoughHosts(evaluations);
}
