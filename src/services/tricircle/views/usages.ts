// The view of a pod's usage.
import { isExhausted } from '../domain/exhaustion.ts';
import type { UsageReport } from '../domain/pods/reports.ts';
import { timeViewOrNull } from './times.ts';

export const usageView = ({ pod, usage, fills, thresholdPercent }: UsageReport): object => ({
  pod_id: pod.id,
  region_name: pod.regionName,
  nova: usage?.novaUsage ?? null,
  cinder: usage?.cinderUsage ?? null,
  collected_at: timeViewOrNull(usage?.collectedAt ?? null),
  threshold_percent: thresholdPercent,
  headroom: pod.headroom,
  dimensions: fills,
  exhausted: isExhausted(fills),
  last_error: usage?.lastError ?? null,
});
