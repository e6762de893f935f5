// The weighers: which of the pods that passed is the best. They are configured by name, in a list,
// each with a multiplier.
import { idlePart } from '../exhaustion.ts';
import type { WeigherSetting } from '../settings.ts';
import type { PodState } from './request.ts';

/** A weigher gives each of the candidates a number; more is better. */
export interface PodWeigher {
  readonly name: string;
  weigh(candidates: readonly PodState[]): number[];
}

/** The oldest first; where all candidates have a place in a manual order, the first of it. */
const createTimeWeigher: PodWeigher = {
  name: 'CreateTimeWeigher',
  weigh: (candidates) => {
    const places = candidates.map(({ pod }) => pod.weight);
    const isManual = places.every((place) => place !== null);
    return candidates.map(({ pod }) => -(isManual ? pod.weight! : pod.createTime));
  },
};

/**
 * The one with the largest part free in its fullest dimension. What has not been asked yet counts
 * as free.
 */
const idleCapacityWeigher: PodWeigher = {
  name: 'IdleCapacityWeigher',
  weigh: (candidates) => candidates.map(({ fills }) => idlePart(fills)),
};

/** All weighers that there are. */
export const podWeighers: readonly PodWeigher[] = [createTimeWeigher, idleCapacityWeigher];

/** Numbers spread over 0 to 1; where all are the same, 0. */
function normalised(values: readonly number[]): number[] {
  const least = Math.min(...values);
  const range = Math.max(...values) - least;
  return values.map((value) => (range === 0 ? 0 : (value - least) / range));
}

/**
 * The best of the candidates; of equals the oldest, and of those of one age the one with the first
 * id.
 */
export function heaviest(
  settings: readonly WeigherSetting[],
  candidates: readonly PodState[],
): PodState | undefined {
  const totals = candidates.map(() => 0);
  for (const { name, multiplier } of settings) {
    const weigher = podWeighers.find((one) => one.name === name)!;
    normalised(weigher.weigh(candidates)).forEach(
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
