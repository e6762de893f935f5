// IdleShareWeigher, which prefers the pod with the highest free share of its fullest resource.
import { freeShare } from '../../exhaustion.ts';
import type { PodWeigher } from '../request.ts';

export const idleShareWeigher: PodWeigher = {
  name: 'IdleShareWeigher',
  defaultMultiplier: 0.01,
  // A pod of unknown usage counts as free.
  weigh: (candidates) => candidates.map(({ fills }) => freeShare(fills)),
};
