// ALLPodsFilter, which accepts every pod.
import type { PodFilter } from '../request.ts';

export const allPodsFilter: PodFilter = {
  name: 'ALLPodsFilter',
  passes: () => true,
  why: () => 'is accepted',
};
