// A host as the scheduler sees it.
import type { Amounts } from '../../../placement/index.ts';

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

/** A host that Placement offers: with what is free on it, and how many members of the wish's group sit there. */
export interface Candidate extends Host {
  readonly free: Amounts;
  readonly members: number;
}
