// Hosts as the scheduler sees them.
import type { Amounts } from '../../neighbours/placement.ts';

/** An aggregate of hosts, as far as it bears on who may go where. */
export interface HostAggregate {
  readonly uuid: string;
  readonly name: string;
  readonly zone: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface Host {
  readonly host: string;
  readonly node: string;
  /** The provider in Placement that the node is. */
  readonly provider: string;
  readonly zone: string;
  readonly enabled: boolean;
  readonly up: boolean;
  readonly aggregates: readonly HostAggregate[];
  /** How many servers are being built, moved or stopped there. */
  readonly busy: number;
}

/** A host that is an allocation candidate. Upstream: scheduler/host_manager.py HostState. */
export interface HostState extends Host {
  /** What is free there, by resource class. */
  readonly free: Amounts;
  /** How many members of the server's group are there. */
  readonly members: number;
}
