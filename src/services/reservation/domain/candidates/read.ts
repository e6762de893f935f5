// Reads what the evaluation of hosts depends on: hosts, capabilities, and the reservations in the
// way.
import { badRequest } from '../../../../kernel/errors.ts';
import { grouped } from '../../../../kernel/db/grouping.ts';
import { pipelined } from '../../../../kernel/db/pipelined.ts';
import type { Micros } from '../../../../kernel/clock.ts';
import type { Context } from '../../../../kernel/model.ts';
import { providersWithTraits } from '../../clients/placement.ts';
import { allocationsDuring } from '../../store/allocations.ts';
import { findProperty, listCapabilities, listHostsInUse } from '../../store/hosts.ts';
import type { Host, HostDetails, InstanceDetails, Span } from '../../model.ts';
import { minute } from '../dates.ts';
import { isColumn, readRequirements, type Requirement } from '../requirements.ts';
import { loadSettings } from '../settings.ts';
import type { Usage } from './capacity.ts';

/** The requested resources and dates. */
export interface Search extends Span {
  readonly resourceType: string;
  readonly details: HostDetails | InstanceDetails;
  /** The id of the reservation that the search is for: its own allocations count as free. */
  readonly exceptReservation?: string;
}

/** The usage of a host by a reservation. */
export interface ReservationUsage extends Usage {
  readonly reservationId: string;
  readonly leaseId: string;
  readonly resourceType: string;
}

/** Everything that the evaluation of hosts depends on. */
export interface HostsRead {
  /** All hosts, in the order of their ids. */
  readonly hosts: readonly Host[];
  readonly requirements: readonly Requirement[];
  /** The capabilities that requirements refer to, by host id and name. */
  readonly capabilities: ReadonlyMap<number, ReadonlyMap<string, string>>;
  /** The names of the hosts with the required traits; undefined if none are required. */
  readonly matching: ReadonlySet<string> | undefined;
  /** The usages of each host, by host id. */
  readonly usages: ReadonlyMap<number, readonly ReservationUsage[]>;
  /** The ids of hosts that have a reservation at any time. */
  readonly inUse: ReadonlySet<number>;
  /** The time for cleaning a host between two reservations of the whole host. */
  readonly cleaning: Micros;
}

/** Reads what a search depends on. @throws 400 for a malformed requirement */
export async function readHosts(context: Context, search: Search): Promise<HostsRead> {
  const requirements = requirementsOf(search);
  const [{ hosts, inUse }, capabilities, { cleaningTime }] = await pipelined([
    listHostsInUse(context.db, search.exceptReservation),
    readCapabilities(context, requirements),
    loadSettings(context),
  ]);
  const cleaning = cleaningTime * minute;
  const usages = await usagesDuring(context, search, cleaning);
  const traits = traitsOf(search);
  const matching = traits.length ? await providersWithTraits(context, traits) : undefined;
  return { hosts, requirements, capabilities, matching, usages, inUse, cleaning };
}

/** The traits that a search requires; forbidden ones have the prefix `!`. */
export const traitsOf = ({ details }: Search): readonly string[] =>
  'traits' in details ? details.traits : [];

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

/**
 * Reads the usages of hosts during a span, by host id. The span is extended by the time for
 * cleaning a host between two host reservations.
 */
async function usagesDuring(
  context: Context,
  { startAt, endAt, exceptReservation }: Search,
  cleaning: Micros,
): Promise<Map<number, ReservationUsage[]>> {
  const padded = { startAt: startAt - cleaning, endAt: endAt + cleaning };
  const allocations = await allocationsDuring(context.db, padded, exceptReservation);
  const usages = allocations.map(({ details, ...allocation }) => ({
    ...allocation,
    demand: 'demand' in details ? details.demand : undefined,
  }));
  return grouped(usages, ({ hostId }) => hostId);
}

/** Assumptions about other leases and hosts, under which a search is repeated. */
export interface Assumptions {
  /** The ids of leases that end before the span. */
  readonly ended: ReadonlySet<string>;
  /** The ids of hosts that become reservable. */
  readonly reservable: ReadonlySet<number>;
}

/** What a search would read if the assumptions were true. */
export const assuming = (read: HostsRead, { ended, reservable }: Assumptions): HostsRead => ({
  ...read,
  hosts: reservable.size
    ? read.hosts.map((host) => (reservable.has(host.id) ? { ...host, reservable: true } : host))
    : read.hosts,
  usages: ended.size
    ? new Map(
        [...read.usages].map(([id, usages]) => [
          id,
          usages.filter(({ leaseId }) => !ended.has(leaseId)),
        ]),
      )
    : read.usages,
});
