// The input of filters and weighers: a request, and the state of the pods.
import type { Fills } from '../exhaustion.ts';
import type { Demand, Pod, Tag } from '../../model.ts';

/** A tenant's request for a pod. */
export interface PodRequest {
  /** Empty for any zone. */
  readonly azName: string;
  /** The tag that the flavor or volume type requires; empty for a general request. */
  readonly tag: Tag;
  /** How much of each resource the new server or volume needs, as far as it is known. */
  readonly demand: Demand;
}

/** A pod with its usage. */
export interface PodState {
  readonly pod: Pod;
  readonly fills: Fills;
}

/**
 * Accepts or rejects a pod for a request. Pods that are under maintenance, exhausted or not in the
 * catalog, and the central pod, never reach a filter.
 */
export interface PodFilter {
  /** The name in the setting `filters`. */
  readonly name: string;
  passes(state: PodState, request: PodRequest): boolean;
  /** Says why it rejects a pod, as the end of a sentence that begins with the pod's name. */
  why(state: PodState, request: PodRequest): string;
}

/** Weighs the pods that pass the filters. */
export interface PodWeigher {
  /** The name in the setting `weighers`. */
  readonly name: string;
  /** The multiplier of the weights unless the setting `weighers` has another one. */
  readonly defaultMultiplier: number;
  /**
   * @returns a weight for each candidate, in their order; the highest is the best. Only their
   *   proportions matter: before they are multiplied, the lowest becomes 0 and the highest 1.
   */
  weigh(candidates: readonly PodState[], request: PodRequest): number[];
}
