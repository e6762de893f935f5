// The weighers, which rank the pods that pass the filters. The settings list their names and
// multipliers.
import { freeShare } from '../exhaustion.ts';
import type { WeigherSetting } from '../settings.ts';
import type { PodState } from './request.ts';

/** A weigher returns a weight for each candidate; the highest is the best. */
export interface PodWeigher {
  readonly name: string;
  weigh(candidates: readonly PodState[]): number[];
}

/** Prefers the oldest pod, or the first in the manual order if all candidates have a position. */
const createTimeWeigher: PodWeigher = {
  name: 'CreateTimeWeigher',
  weigh: (candidates) => {
    const positions = candidates.map(({ pod }) => pod.weight);
    const isManual = positions.every((position) => position !== null);
    return candidates.map(({ pod }) => -(isManual ? pod.weight! : pod.createTime));
  },
};

/**
 * Prefers the pod with the highest free share in its fullest dimension. A pod of unknown usage
 * counts as free.
 */
const idleCapacityWeigher: PodWeigher = {
  name: 'IdleCapacityWeigher',
  weigh: (candidates) => candidates.map(({ fills }) => freeShare(fills)),
};

/** All weighers. */
export const podWeighers: readonly PodWeigher[] = [createTimeWeigher, idleCapacityWeigher];

/** Scales weights to the range from 0 to 1; all to 0 if they are equal. */
function normalize(values: readonly number[]): number[] {
  const least = Math.min(...values);
  const range = Math.max(...values) - least;
  return values.map((value) => (range === 0 ? 0 : (value - least) / range));
}

/** The candidate with the highest weight; among equal ones the oldest, then the lowest id. */
export function heaviest(
  settings: readonly WeigherSetting[],
  candidates: readonly PodState[],
): PodState | undefined {
  const totals = candidates.map(() => 0);
  for (const { name, multiplier } of settings) {
    const weigher = podWeighers.find((candidate) => candidate.name === name)!;
    normalize(weigher.weigh(candidates)).forEach(
      (weight, at) => (totals[at]! += multiplier * weight),
    );
  }
  const ranked = candidates.map((candidate, at) => ({ candidate, total: totals[at]! }));
  const [first] = ranked.toSorted(
    (a, b) =>
      b.total - a.total ||
      a.candidate.pod.createTime - b.candidate.pod.createTime ||
      (a.candidate.pod.id < b.candidate.pod.id ? -1 : 1),
  );
  return first?.candidate;
}
