// What a filter of the scheduler is, and what it sees of the hosts of a group.
import type { HostState } from './hosts.ts';
import type { RequestSpec } from './request-spec.ts';

/** A filter passes or rejects a host. */
export interface Filter {
  readonly name: string;
  /**
   * Whether the outcome depends on the hosts of the group, which change with each server of a
   * request. All other filters pass the same hosts for every server of a request.
   */
  readonly readsGroup?: boolean;
  /** Whether it can reject any host for this server; absent if that depends on the host. */
  canReject?(spec: RequestSpec, groupHosts: GroupHosts): boolean;
  passes(host: HostState, spec: RequestSpec, groupHosts: GroupHosts): boolean;
  /** Says why it rejects a host, as the end of a sentence that begins with the host's name. */
  why(host: HostState, spec: RequestSpec, groupHosts: GroupHosts): string;
}

/** The hosts of the members of the server's group, and of the servers that its hints name. */
export interface GroupHosts {
  /**
   * Counts the members on a host, and those that may return to it. The server itself is not
   * counted.
   */
  countOn(host: string): number;
  /** The hosts of all members, including the server itself. */
  readonly hosts: ReadonlySet<string>;
  /** The hosts of the servers that hints name, by UUID. */
  readonly hinted: ReadonlyMap<string, string>;
}
