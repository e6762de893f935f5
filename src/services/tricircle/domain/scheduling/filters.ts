// The filters: which pods may have what is asked for. They are configured by name, in a list.
import { isExhausted } from '../exhaustion.ts';
import type { PodRequest, PodState } from './request.ts';

/** A filter keeps a pod or drops it. */
export interface PodFilter {
  readonly name: string;
  passes(state: PodState, request: PodRequest): boolean;
}

/** Drops pods under maintenance, and those that are exhausted. */
const allPodsFilter: PodFilter = {
  name: 'ALLPodsFilter',
  passes: ({ pod, fills }) => !pod.isUnderMaintenance && !isExhausted(fills),
};

/** Drops the central pod, in which nothing runs. */
const bottomPodFilter: PodFilter = {
  name: 'BottomPodFilter',
  passes: ({ pod }) => pod.azName !== '',
};

/** Keeps the pods of the zone that is asked for. */
const availabilityZoneFilter: PodFilter = {
  name: 'AvailabilityZoneFilter',
  passes: ({ pod }, { azName }) => azName === '' || pod.azName === azName,
};

/**
 * Keeps the pods with the very tag that is asked for: groups do not overlap, and a general request
 * never lands on a tagged pod.
 */
const resourceAffinityFilter: PodFilter = {
  name: 'ResourceAffinityFilter',
  passes: ({ pod }, { affinityGroup }) => pod.affinityGroup === affinityGroup,
};

/** All filters that there are. */
export const podFilters: readonly PodFilter[] = [
  allPodsFilter,
  bottomPodFilter,
  availabilityZoneFilter,
  resourceAffinityFilter,
];

/** Whether a pod passes the filters of these names. */
export const passesAll = (
  names: readonly string[],
  state: PodState,
  request: PodRequest,
): boolean =>
  names.every((name) => podFilters.find((filter) => filter.name === name)!.passes(state, request));
