// The weighers that prefer the pod with the most free capacity as an amount: of one resource
// (IdleVcpusWeigher, IdleMemoryWeigher, IdleDiskWeigher, IdleVolumesWeigher) or of all
// (IdleCapacityWeigher).
import { dimensions, type Dimension } from '../../../model.ts';
import type { PodState, PodWeigher } from '../request.ts';

/**
 * The free amount of a resource in each candidate. If it is unknown or unlimited, it counts as the
 * largest one that is known.
 */
function freeAmounts(candidates: readonly PodState[], dimension: Dimension): number[] {
  const amounts = candidates.map(({ fills }) => {
    const { total = 0, used = 0 } = fills[dimension] ?? {};
    return total > 0 ? Math.max(0, total - used) : undefined;
  });
  const largest = amounts.reduce<number>((max, amount) => Math.max(max, amount ?? 0), 0);
  return amounts.map((amount) => amount ?? largest);
}

const weigherOf = (name: string, dimension: Dimension): PodWeigher => ({
  name,
  defaultMultiplier: 0.01,
  weigh: (candidates) => freeAmounts(candidates, dimension),
});

export const idleVcpusWeigher = weigherOf('IdleVcpusWeigher', 'vcpus');
export const idleMemoryWeigher = weigherOf('IdleMemoryWeigher', 'memory_mb');
export const idleDiskWeigher = weigherOf('IdleDiskWeigher', 'disk_gb');
export const idleVolumesWeigher = weigherOf('IdleVolumesWeigher', 'volume_gb');

/**
 * Adds up the free amounts of all resources, each in proportion to the largest among the
 * candidates, because their units differ.
 */
export const idleCapacityWeigher: PodWeigher = {
  name: 'IdleCapacityWeigher',
  defaultMultiplier: 0.05,
  weigh: (candidates) => {
    const sums = candidates.map(() => 0);
    for (const dimension of dimensions) {
      const amounts = freeAmounts(candidates, dimension);
      const largest = amounts.reduce((max, amount) => Math.max(max, amount), 0);
      if (largest > 0) for (const [at, amount] of amounts.entries()) sums[at]! += amount / largest;
    }
    return sums;
  },
};
