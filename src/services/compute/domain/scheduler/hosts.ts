// The state of a host that the scheduler's filters and weighers read.
import type { Amounts, Candidate } from '../../clients/placement.ts';
import type { SchedulerHost } from './kept-hosts.ts';

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
  /** Its allocation candidates: at least one. */
  readonly candidates: readonly Candidate[];
}

/** Names each field, because a spread of a thousand hosts takes as long as all other steps. */
export const hostStateOf = (
  host: SchedulerHost,
  { free, busy }: HostUsage,
  members: number,
  candidates: readonly Candidate[],
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
  candidates,
});
