// The scheduler's weighers. Each gives every host a weight; the weights are normalized, multiplied
// and summed. Upstream: nova/scheduler/weights.
import type { HostState } from './hosts.ts';
import type { RequestSpec } from './request-spec.ts';

export interface Weigher {
  readonly name: string;
  readonly multiplier: number;
  weigh(host: HostState, spec: RequestSpec): number;
}

/**
 * The multiplier of the soft policies, ten times upstream's. With upstream's value, the other
 * weighers, which all prefer the emptiest host, outweigh a soft policy whenever hosts are alike.
 */
const soft = 10;

/**
 * All weighers. They prefer hosts with the most free resources and the fewest running tasks, and
 * follow the soft policies of server groups.
 */
export const weighers: readonly Weigher[] = [
  { name: 'ram', multiplier: 1, weigh: ({ free }) => free['MEMORY_MB'] ?? 0 },
  { name: 'cpu', multiplier: 1, weigh: ({ free }) => free['VCPU'] ?? 0 },
  { name: 'disk', multiplier: 1, weigh: ({ free }) => free['DISK_GB'] ?? 0 },
  { name: 'io', multiplier: -1, weigh: ({ busy }) => busy },
  {
    name: 'soft-affinity',
    multiplier: soft,
    weigh: ({ members }, { group }) => (group?.policy === 'soft-affinity' ? members : 0),
  },
  {
    name: 'soft-anti-affinity',
    multiplier: soft,
    weigh: ({ members }, { group }) => (group?.policy === 'soft-anti-affinity' ? -members : 0),
  },
];

/** Sorts hosts by weight, best first. Hosts of equal weight keep their order. */
export function sortByWeight(hosts: readonly HostState[], spec: RequestSpec): HostState[] {
  const totals = new Map(hosts.map((host) => [host, 0]));
  for (const weigher of weighers) {
    const { multiplier } = weigher;
    const weights = hosts.map((host) => weigher.weigh(host, spec));
    const least = Math.min(...weights);
    const range = Math.max(...weights) - least;
    if (range)
      hosts.forEach((host, index) =>
        totals.set(host, totals.get(host)! + (multiplier * (weights[index]! - least)) / range),
      );
  }
  return [...hosts].sort((one, other) => totals.get(other)! - totals.get(one)!);
}
