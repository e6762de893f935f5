// The weighers: each says how much it likes a host; the likings are made comparable and summed. Upstream: nova/scheduler/weights.
import type { Candidate } from './hosts.ts';
import type { Wish } from './request-spec.ts';

export interface Weigher {
  readonly name: string;
  readonly multiplier: number;
  weigh(host: Candidate, wish: Wish): number;
}

/**
 * The soft policies weigh ten times as much as upstream: there each is one vote among several for the emptiest host, and so is
 * overruled as soon as hosts are alike.
 */
const soft = 10;

/** All weighers: spreading over what is free, away from what is busy, and the wishes of groups. */
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

/** Hosts by what they weigh, the best first; those that weigh the same stay in their order. */
export function ranked(hosts: readonly Candidate[], wish: Wish): Candidate[] {
  const totals = new Map(hosts.map((host) => [host, 0]));
  for (const weigher of weighers) {
    const { multiplier } = weigher;
    const weights = hosts.map((host) => weigher.weigh(host, wish));
    const least = Math.min(...weights);
    const range = Math.max(...weights) - least;
    if (range)
      hosts.forEach((host, index) => totals.set(host, totals.get(host)! + (multiplier * (weights[index]! - least)) / range));
  }
  return [...hosts].sort((one, other) => totals.get(other)! - totals.get(one)!);
}
