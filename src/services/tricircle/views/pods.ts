// The view of a pod, with the field names of Tricircle and Trio2o, and the additional fields of
// dynamic binding.
import type { Pod } from '../model.ts';
import { timeView } from './times.ts';

export const podView = (pod: Pod): object => ({
  pod_id: pod.id,
  region_name: pod.regionName,
  pod_name: pod.regionName,
  pod_az_name: pod.podAzName,
  dc_name: pod.dcName,
  az_name: pod.azName,
  resource_affinity_tag: pod.resourceAffinityTag,
  is_under_maintenance: pod.isUnderMaintenance,
  create_time: timeView(pod.createTime),
  weight: pod.weight,
  threshold_percent: pod.thresholdPercent,
  headroom: pod.headroom,
  prices: pod.prices,
});
