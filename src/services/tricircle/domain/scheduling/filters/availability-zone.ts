// AvailabilityZoneFilter, which accepts the pods of the requested zone.
import type { PodFilter } from '../request.ts';

export const availabilityZoneFilter: PodFilter = {
  name: 'AvailabilityZoneFilter',
  passes: ({ pod }, { azName }) => azName === '' || pod.azName === azName,
  why: ({ pod }, { azName }) => `is in the zone ${pod.azName}, and the request names ${azName}`,
};
