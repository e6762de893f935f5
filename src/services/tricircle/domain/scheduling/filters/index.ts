// All filters, in the order of the setting's default. To add one, write a file in this folder and
// list it here: see docs/internals/choosing-a-pod.md.
import type { PodFilter } from '../request.ts';
import { allPodsFilter } from './all-pods.ts';
import { availabilityZoneFilter } from './availability-zone.ts';
import { bottomPodFilter } from './bottom-pod.ts';
import { resourceAffinityFilter } from './resource-affinity.ts';

export const podFilters: readonly PodFilter[] = [
  allPodsFilter,
  bottomPodFilter,
  availabilityZoneFilter,
  resourceAffinityFilter,
];
