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
}

/** What changes on a host with every server. */
export interface HostUsage {
  /** The free amount of each resource class. */
  readonly free: Amounts;
  /** The number of servers on the host with a running task. */
  readonly busy: number;
}

/** A host that is an allocation candidate. Upstream: scheduler/host_manager.py HostState. */
export interface HostState extends SchedulerHost, HostUsage {
  /** The number of members of the server's group on the host. */
  readonly members: number;
}

/** The state of a host. @param members the number of members of the server's group on it */
export const hostStateOf = (
  host: SchedulerHost,
  { free, busy }: HostUsage,
  members: number,
): HostState => ({
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

/**
 * The states of all hosts in the latest decisions that they were candidates of. A state is the
 * same object for as long as nothing in it changes. What decides that lies side by side, because
 * visiting a thousand objects takes longer than all other steps of a decision.
 */
export class LatestStates {
  private readonly hosts: readonly SchedulerHost[];
  private readonly states: HostState[] = [];
  private readonly free: Amounts[] = [];
  private readonly busy: Int32Array;
  private readonly members: Int32Array;

  constructor(hosts: readonly SchedulerHost[]) {
    this.hosts = hosts;
    this.busy = new Int32Array(hosts.length);
    this.members = new Int32Array(hosts.length);
  }

  /** The state of the host at a place. Nobody may change it. */
  at(place: number, free: Amounts, busy: number, members: number): HostState {
    if (free === this.free[place] && busy === this.busy[place] && members === this.members[place])
      return this.states[place]!;
    this.free[place] = free;
    this.busy[place] = busy;
    this.members[place] = members;
    return (this.states[place] = hostStateOf(this.hosts[place]!, { free, busy }, members));
  }
}
