// ResourceAffinityFilter, which accepts the pods whose tag the flavor or volume type has.
import { isServedBy } from '../../tags.ts';
import type { PodFilter } from '../request.ts';

export const resourceAffinityFilter: PodFilter = {
  name: 'ResourceAffinityFilter',
  passes: ({ pod }, { tag }) => isServedBy(tag, pod.resourceAffinityTag),
  why: ({ pod }, { tag }) =>
    `has the resource tag ${JSON.stringify(pod.resourceAffinityTag ?? {})}, and the request needs ` +
    JSON.stringify(tag),
};
