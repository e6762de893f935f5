// What the scheduler reads for a decision.
import type { Candidate, KnownUsage } from '../../clients/placement.ts';
import type { GroupHosts } from './filter.ts';
import type { HostState } from './hosts.ts';
import type { Host } from '../../model.ts';

/** The hosts of a region as a decision sees them. */
export interface SchedulerRead {
  readonly hosts: readonly Host[];
  /** The hosts that have an allocation candidate. */
  readonly states: readonly HostState[];
  /** The candidates by the place of their host: each state has at least one. */
  readonly candidates: readonly (readonly Candidate[])[];
  /**
   * What Placement has read to find no candidates, not even outside of the requested zone;
   * undefined if it has some.
   */
  readonly withoutCandidates: KnownUsage | undefined;
  /** The hosts of the group's members. */
  readonly members: GroupHosts;
}
