// What the scheduler reads for a decision.
import type { GroupHosts } from './filter.ts';
import type { HostState } from './hosts.ts';
import type { Host } from '../../model.ts';

/** The hosts of a region as a decision sees them. */
export interface SchedulerRead {
  readonly hosts: readonly Host[];
  /** The hosts that have an allocation candidate. */
  readonly states: readonly HostState[];
  /** The hosts of the group's members. */
  readonly members: GroupHosts;
}
