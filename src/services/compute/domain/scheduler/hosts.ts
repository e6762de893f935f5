// The state of a host that the scheduler's filters and weighers read.
import type { Amounts } from '../../clients/placement.ts';
import type { Host } from '../../model.ts';
import type { Multipliers } from './multipliers.ts';

/** A host with what follows from its service and its aggregates. */
export interface SchedulerHost extends Host {
  /** Its place among all hosts, in the order in which they were added. */
  readonly place: number;
  /** The only projects whose servers it accepts; undefined if it accepts those of all projects. */
  readonly tenants: ReadonlySet<string> | undefined;
  /** Whether it is reserved, or can be. */
  readonly isPooled: boolean;
  /** The multipliers of weighers that its aggregates override; undefined if there are none. */
  readonly multipliers: Partial<Multipliers> | undefined;
  /** Its state in the last decision that it was a candidate of. */
  lastState?: HostState;
}

/** What changes on a host with every server. */
export interface HostUsage {
  /** The free amount of each resource class. */
  readonly free: Amounts;
  /** The number of servers on the host with a running task. */
  readonly busy: number;
}

/** A host that is an allocation candidate. Upstream: scheduler/host_manager.py HostState. */
export interface HostState extends Omit<SchedulerHost, 'lastState'>, HostUsage {
  /** The number of members of the server's group on the host. */
  readonly members: number;
}

/**
 * The state of a host: the same object for as long as nothing in it changes, because a thousand of
 * them for each server cost more than all other steps of a decision. Nobody may change it.
 */
export function hostStateOf(
  host: SchedulerHost,
  { free, busy }: HostUsage,
  members: number,
): HostState {
  const last = host.lastState;
  if (last && last.free === free && last.busy === busy && last.members === members) return last;
  return (host.lastState = {
    host: host.host,
    node: host.node,
    provider: host.provider,
    zone: host.zone,
    enabled: host.enabled,
    up: host.up,
    aggregates: host.aggregates,
    place: host.place,
    tenants: host.tenants,
    isPooled: host.isPooled,
    multipliers: host.multipliers,
    free,
    busy,
    members,
  });
}
