// Reports on the usage of pods.
import type { Context } from '../../../../kernel/model.ts';
import { readUsages } from '../../store/usages.ts';
import { computeFills, type Fills } from '../exhaustion.ts';
import type { Pod, PodUsage } from '../../model.ts';
import { loadSettings } from '../settings.ts';

/** A pod with its last known usage, and the fill level of each dimension. */
export interface UsageReport {
  readonly pod: Pod;
  readonly usage: PodUsage | undefined;
  readonly fills: Fills;
  readonly thresholdPercent: number;
}

/** Reads the reports of these pods. */
export async function readReports(context: Context, pods: readonly Pod[]): Promise<UsageReport[]> {
  const { thresholdPercent: defaultThreshold } = await loadSettings(context);
  const usages = await readUsages(context.db);
  return pods.map((pod) => {
    const usage = usages.get(pod.id);
    return {
      pod,
      usage,
      fills: computeFills(pod, usage, defaultThreshold),
      thresholdPercent: pod.thresholdPercent ?? defaultThreshold,
    };
  });
}
