// What speaks against each host for a reservation: the choice of hosts and the explanation of a
// refusal go by the same verdicts.
import { badRequest, conflict, ApiError } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { providersWith } from '../../clients/placement.ts';
import { allocationsDuring, hostsInUse } from '../../store/allocations.ts';
import { capabilitiesOf, findProperty, listHosts } from '../../store/hosts.ts';
import { findReservations } from '../../store/reservations.ts';
import { dateText, minute } from '../dates.ts';
import {
  flavorType,
  hostType,
  type Host,
  type HostDetails,
  type InstanceDetails,
  type Reservation,
  type Span,
} from '../../model.ts';
import { isColumn, meets, readRequirements, type Requirement } from '../requirements.ts';
import { settingsOf } from '../settings.ts';
import { capacityOf, freeSlots, timesIn, type Held } from './capacity.ts';

/** A host, and either how many slots it has or why it has none. */
export interface Verdict {
  readonly host: Host;
  readonly slots: number;
  /**
   * A few words that go on from the name of the host; undefined where nothing speaks against it.
   */
  readonly reason?: string;
  /** Whether anybody has reserved it, for whenever. */
  readonly inUse: boolean;
}

/** What is looked for, and whose own reservation does not stand in its way. */
export interface Search extends Span {
  readonly resourceType: string;
  readonly details: HostDetails | InstanceDetails;
  readonly without?: string;
}

/**
 * The verdicts over all hosts, in the order of their numbers.
 * @throws 400 for a requirement that is none
 */
export async function judge(context: Context, search: Search): Promise<Verdict[]> {
  const requirements = requirementsOf(search);
  const hosts = await listHosts(context.db);
  const capabilities = await capabilitiesFor(context, requirements);
  const held = await heldDuring(context, search);
  const inUse = await hostsInUse(context.db, search.without);
  const traits = 'traits' in search.details ? search.details.traits : [];
  const fitting = traits.length ? await providersWith(context, traits) : undefined;
  return hosts.map((host) => {
    const unmet = requirements.find(
      (one) => !meets(host, one, capabilities.get(host.id)?.get(one.key)),
    );
    const mine = held.get(host.id) ?? [];
    const before = !host.reservable
      ? 'is not reservable'
      : unmet
        ? `does not meet ${JSON.stringify([unmet.operator, `$${unmet.key}`, unmet.value])}`
        : fitting && !fitting.has(host.hypervisorHostname)
          ? `does not have the traits ${traits.join(', ')}`
          : undefined;
    const judged = before === undefined ? roomOn(host, mine, search) : { slots: 0, reason: before };
    return { host, inUse: inUse.has(host.id), ...judged };
  });
}

function requirementsOf({ details }: Search): Requirement[] {
  if ('hypervisorProperties' in details)
    return [
      ...readRequirements(details.hypervisorProperties),
      ...readRequirements(details.resourceProperties),
    ];
  return 'traits' in details && isFlavorText(details)
    ? []
    : readRequirements(details.resourceProperties);
}

/** A flavor reservation keeps its source flavor where others keep requirements. */
const isFlavorText = ({ resourceProperties }: InstanceDetails): boolean =>
  resourceProperties.startsWith('{');

/**
 * The capabilities that requirements are about, by host and name.
 * @throws 400 for a name that no host has ever had
 */
async function capabilitiesFor(
  context: Context,
  requirements: readonly Requirement[],
): Promise<ReadonlyMap<number, ReadonlyMap<string, string>>> {
  const names = [...new Set(requirements.map(({ key }) => key).filter((key) => !isColumn(key)))];
  const byHost = new Map<number, Map<string, string>>();
  if (!names.length) return byHost;
  for (const name of names)
    if (!(await findProperty(context.db, name)))
      throw badRequest(`No host has the property ${name.slice(0, 64)}`);
  for (const { hostId, name, value } of await capabilitiesOf(context.db, { names })) {
    const mine = byHost.get(hostId) ?? new Map<string, string>();
    byHost.set(hostId, mine.set(name, value));
  }
  return byHost;
}

/** What is held, and by which type of reservation. */
interface TypedHeld extends Held {
  readonly resourceType: string;
}

/**
 * What is held of hosts during a span, by host. Between two host reservations a host is cleaned.
 */
async function heldDuring(
  context: Context,
  { startAt, endAt, without }: Search,
): Promise<Map<number, TypedHeld[]>> {
  const cleaning = (await settingsOf(context)).cleaningTime * minute;
  const wide = { startAt: startAt - cleaning, endAt: endAt + cleaning };
  const allocations = await allocationsDuring(context.db, wide, without);
  const ids = [...new Set(allocations.map(({ reservationId }) => reservationId))];
  const reservations = new Map<string, Reservation>();
  for (let at = 0; at < ids.length; at += 1000)
    for (const [id, one] of await findReservations(context.db, ids.slice(at, at + 1000)))
      reservations.set(id, one);
  const byHost = new Map<number, TypedHeld[]>();
  for (const { hostId, reservationId, slots, ...span } of allocations) {
    const { details, resourceType } = reservations.get(reservationId)!;
    const mine = byHost.get(hostId) ?? [];
    mine.push({
      ...span,
      slots,
      resourceType,
      demand: 'demand' in details ? details.demand : undefined,
    });
    byHost.set(hostId, mine);
  }
  return byHost;
}

function roomOn(
  host: Host,
  held: readonly TypedHeld[],
  search: Search,
): { slots: number; reason?: string } {
  const { details, resourceType } = search;
  if (!('demand' in details)) {
    const [other] = held;
    return other ? { slots: 0, reason: `is reserved ${during(other)}` } : { slots: 1 };
  }
  const meeting = held.filter((one) => one.endAt > search.startAt && one.startAt < search.endAt);
  const whole = meeting.find(({ demand }) => demand === undefined);
  if (whole) return { slots: 0, reason: `is reserved as a whole ${during(whole)}` };
  // Flavors are counted in Placement's figures, which may be more than the host has: instances go
  // beside them only where the host's own suffice.
  if (resourceType === flavorType && meeting.some((one) => one.resourceType !== flavorType))
    return { slots: 0, reason: conflicting };
  const capacity = capacityOf(host, resourceType);
  const large = Object.entries(details.demand).find(
    ([name, amount]) => amount > (capacity[name] ?? 0),
  );
  if (large) return { slots: 0, reason: `is too small: ${capacity[large[0]] ?? 0} ${large[0]}` };
  const unit = Object.entries(details.demand).find(
    ([name, amount]) => resourceType === flavorType && amount > host.stocks[name]!.maxUnit,
  );
  if (unit)
    return {
      slots: 0,
      reason: `gives ${host.stocks[unit[0]]!.maxUnit} ${unit[0]} to one instance at most`,
    };
  const slots = freeSlots(
    capacity,
    details.demand,
    resourceType === flavorType ? meeting : meeting.map(inOwnFigures),
    search,
  );
  if (slots) return { slots };
  return {
    slots: 0,
    reason: `has no room left beside other reservations (${timesIn(capacity, {}, details.demand)} fit)`,
  };
}

/** A host's own figures know no dedicated processors. */
const inOwnFigures = (one: TypedHeld): TypedHeld =>
  one.demand?.['PCPU']
    ? { ...one, demand: { ...one.demand, VCPU: (one.demand['VCPU'] ?? 0) + one.demand['PCPU'] } }
    : one;

const conflicting = 'has reservations of another type';

const during = ({ startAt, endAt }: Span): string =>
  `from ${dateText(startAt).slice(0, 16)} to ${dateText(endAt).slice(0, 16)}`;

/** A reason, and how many hosts it speaks against. */
export interface Reason {
  readonly reason: string;
  readonly hosts: number;
}

/**
 * The reasons of verdicts, the most frequent first; hosts that could have served, but were too few,
 * have one too.
 */
export function reasonsOf(verdicts: readonly Verdict[]): Reason[] {
  const counts = new Map<string, number>();
  for (const { reason, slots } of verdicts) {
    const text =
      reason ?? `is free${slots > 1 ? ` (${slots} slots)` : ''}, but there are too few of them`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts]
    .map(([reason, hosts]) => ({ reason, hosts }))
    .toSorted((a, b) => b.hosts - a.hosts);
}

/**
 * Blazar's error for a lack of hosts, with the reasons per group of hosts, which are an addition.
 */
export class NotEnoughHosts extends ApiError {
  readonly reasons: ReturnType<typeof reasonsOf>;
  constructor(verdicts: readonly Verdict[]) {
    super(500, 'Not enough hosts available', { code: 'reservation.not_enough_hosts' });
    this.reasons = reasonsOf(verdicts).slice(0, 20);
  }
}

export function notEnoughHosts(verdicts: readonly Verdict[]): ApiError {
  if (verdicts.some(({ reason }) => reason === conflicting))
    return conflict('Conflicting reservation types found');
  return new NotEnoughHosts(verdicts);
}

export const isHostSearch = ({ resourceType }: Search): boolean => resourceType === hostType;
