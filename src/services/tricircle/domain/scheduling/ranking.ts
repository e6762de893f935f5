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

/** A candidate with its weight, and what each weigher adds to that. */
export interface RankedPod {
  readonly candidate: PodState;
  readonly total: number;
  readonly weights: readonly (readonly [weigher: string, weight: number])[];
}

/** The candidates, the highest weight first; among equal ones the oldest, then the lowest id. */
export function ranking(
  settings: readonly WeigherSetting[],
  candidates: readonly PodState[],
  request: PodRequest,
): RankedPod[] {
  const weighed = settings.map(({ name, multiplier }) => {
    const weigher = podWeighers.find((candidate) => candidate.name === name)!;
    const weights = normalize(weigher.weigh(candidates, request));
    return { name, weights: weights.map((weight) => multiplier * weight) };
  });
  return candidates
    .map((candidate, at) => ({
      candidate,
      total: weighed.reduce((sum, { weights }) => sum + weights[at]!, 0),
      weights: weighed.map(({ name, weights }) => [name, weights[at]!] as const),
    }))
    .toSorted(
      (a, b) =>
        b.total - a.total ||
        a.candidate.pod.createTime - b.candidate.pod.createTime ||
        (a.candidate.pod.id < b.candidate.pod.id ? -1 : 1),
    );
}
