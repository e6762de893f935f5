// CostWeigher, which prefers the pod in which the new server or volume is cheapest by the pods'
// prices.
import { dimensions } from '../../../model.ts';
import type { PodState, PodWeigher, PodRequest } from '../request.ts';

/** The price of a request in a pod. If its amounts are unknown, the price of one unit of each. */
function priceOf({ pod }: PodState, { demand }: PodRequest): number {
  const isKnown = dimensions.some((dimension) => demand[dimension] !== undefined);
  return dimensions.reduce(
    (sum, dimension) =>
      sum + (pod.prices?.[dimension] ?? 0) * (isKnown ? (demand[dimension] ?? 0) : 1),
    0,
  );
}

export const costWeigher: PodWeigher = {
  name: 'CostWeigher',
  defaultMultiplier: 0.1,
  weigh: (candidates, request) => candidates.map((state) => -priceOf(state, request)),
};
