// The filters, which select the pods that are suitable for a request. The settings list their
// names.
import { isExhausted } from '../exhaustion.ts';
import type { PodRequest, PodState } from './request.ts';

/** A filter accepts or rejects a pod. */
export interface PodFilter {
  readonly name: string;
  passes(state: PodState, request: PodRequest): boolean;
}

/** Rejects pods that are under maintenance or exhausted. */
const allPodsFilter: PodFilter = {
  name: 'ALLPodsFilter',
  passes: ({ pod, fills }) => !pod.isUnderMaintenance && !isExhausted(fills),
};

/** Rejects the central pod, which has no resources. */
const bottomPodFilter: PodFilter = {
  name: 'BottomPodFilter',
  passes: ({ pod }) => pod.azName !== '',
};

/** Accepts the pods of the requested zone. */
const availabilityZoneFilter: PodFilter = {
  name: 'AvailabilityZoneFilter',
  passes: ({ pod }, { azName }) => azName === '' || pod.azName === azName,
};

/**
 * Accepts the pods with exactly the requested tag, so groups do not overlap, and a tagged pod is
 * never used for a general request.
 */
const resourceAffinityFilter: PodFilter = {
  name: 'ResourceAffinityFilter',
  passes: ({ pod }, { affinityGroup }) => pod.affinityGroup === affinityGroup,
};

/** All filters. */
export const podFilters: readonly PodFilter[] = [
  allPodsFilter,
  bottomPodFilter,
  availabilityZoneFilter,
  resourceAffinityFilter,
];

/** Whether a pod passes the filters with these names. */
export const passesAll = (
  names: readonly string[],
  state: PodState,
  request: PodRequest,
): boolean =>
  names.every((name) => podFilters.find((filter) => filter.name === name)!.passes(state, request));
