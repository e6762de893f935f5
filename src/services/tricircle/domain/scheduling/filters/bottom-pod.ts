// BottomPodFilter, which rejects the central pod. Upstream calls it that, and has only this filter.
import type { PodFilter } from '../request.ts';

export const bottomPodFilter: PodFilter = {
  name: 'BottomPodFilter',
  passes: ({ pod }) => pod.azName !== '',
  why: () => 'is the central pod',
};
