// The state of a host that the scheduler's filters and weighers read.
import type { Amounts } from '../../clients/placement.ts';
import type { Host } from '../../model.ts';

/** A host that is an allocation candidate. Upstream: scheduler/host_manager.py HostState. */
export interface HostState extends Host {
  /** The free amount of each resource class. */
  readonly free: Amounts;
  /** The number of members of the server's group on the host. */
  readonly members: number;
}
