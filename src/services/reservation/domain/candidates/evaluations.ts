// Evaluates each host for a reservation: how many slots are free, or why there are none. Both the
// choice of hosts and the explanation of an error use these evaluations.
import type { Context } from '../../../../kernel/model.ts';
import type { Host } from '../../model.ts';
import { causesOn, reasonOf, type HostCause } from './causes.ts';
import { readHosts, type HostsRead, type Search } from './read.ts';

/** A host with its number of free slots, or the cause why it has none. */
export interface HostEvaluation {
  readonly host: Host;
  readonly slots: number;
  /** Undefined if the host is suitable. */
  readonly cause?: HostCause;
  /** Whether it has a reservation at any time. */
  readonly inUse: boolean;
}

/** Evaluates all hosts, in the order of their ids. @throws 400 for a malformed requirement */
export const evaluateHosts = async (context: Context, search: Search): Promise<HostEvaluation[]> =>
  evaluationsOf(await readHosts(context, search), search);

/** Evaluates all hosts with what was read. */
export const evaluationsOf = (read: HostsRead, search: Search): HostEvaluation[] =>
  read.hosts.map((host) => {
    const first = causesOn(host, read, search).next();
    const inUse = read.inUse.has(host.id);
    return first.done
      ? { host, inUse, slots: first.value }
      : { host, inUse, slots: 0, cause: first.value };
  });

/** A reason, and the number of hosts that are unsuitable because of it. */
export interface Reason {
  readonly reason: string;
  readonly hosts: number;
}

/**
 * Counts the hosts by reason, the most frequent reason first. Includes a reason for suitable hosts:
 * that there were too few of them.
 */
export function countReasons(evaluations: readonly HostEvaluation[]): Reason[] {
  const counts = new Map<string, number>();
  for (const { cause, slots } of evaluations) {
    const text = cause
      ? reasonOf(cause)
      : `is free${slots > 1 ? ` (${slots} slots)` : ''}, but there are too few of them`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts]
    .map(([reason, hosts]) => ({ reason, hosts }))
    .toSorted((a, b) => b.hosts - a.hosts);
}
