// What the choice of a pod is about: who asks for what, and what is known of the pods.
import type { Fills } from '../exhaustion.ts';
import type { Pod } from '../../model.ts';

/** What a tenant asks for. */
export interface PodRequest {
  /** Empty for any zone. */
  readonly azName: string;
  /** The group of the tag that flavor or volume type ask for; empty for general. */
  readonly affinityGroup: string;
}

/** A pod, and how full it is. */
export interface PodState {
  readonly pod: Pod;
  readonly fills: Fills;
}
