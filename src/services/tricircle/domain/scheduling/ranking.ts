// Ranks the pods that pass the filters, by the weighers of the settings.
import type { WeigherSetting } from '../settings.ts';
import type { PodRequest, PodState } from './request.ts';
import { podWeighers } from './weighers/index.ts';

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
  request: PodRequest,
): PodState | undefined {
  const totals = candidates.map(() => 0);
  for (const { name, multiplier } of settings) {
    const weigher = podWeighers.find((candidate) => candidate.name === name)!;
    normalize(weigher.weigh(candidates, request)).forEach(
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
