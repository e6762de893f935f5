// Hosts as the scheduler sees them.
import type { Amounts } from '../../clients/placement.ts';
import type { Host } from '../../model.ts';

/** A host that is an allocation candidate. Upstream: scheduler/host_manager.py HostState. */
export interface HostState extends Host {
  /** What is free there, by resource class. */
  readonly free: Amounts;
  /** How many members of the server's group are there. */
  readonly members: number;
}
