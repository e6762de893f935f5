// The input of filters and weighers: a request, and the state of the pods.
import type { Fills } from '../exhaustion.ts';
import type { Pod } from '../../model.ts';

/** A tenant's request. */
export interface PodRequest {
  /** Empty for any zone. */
  readonly azName: string;
  /** The affinity group that the flavor or volume type requires; empty for the general group. */
  readonly affinityGroup: string;
}

/** A pod with its usage. */
export interface PodState {
  readonly pod: Pod;
  readonly fills: Fills;
}
