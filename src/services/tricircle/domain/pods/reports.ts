// What is known of how full pods are, pod by pod.
import type { Context } from '../../../../kernel/model.ts';
import { readUsages } from '../../store/usages.ts';
import { fillsOf, type Fills } from '../exhaustion.ts';
import type { Pod, PodUsage } from '../../model.ts';
import { settingsOf } from '../settings.ts';

/** A pod, what it said of itself, and what follows from it. */
export interface UsageReport {
  readonly pod: Pod;
  readonly usage: PodUsage | undefined;
  readonly fills: Fills;
  readonly thresholdPercent: number;
}

export async function reportOn(context: Context, pods: readonly Pod[]): Promise<UsageReport[]> {
  const { thresholdPercent: byDefault } = await settingsOf(context);
  const usages = await readUsages(context.db);
  return pods.map((pod) => {
    const usage = usages.get(pod.id);
    return {
      pod,
      usage,
      fills: fillsOf(pod, usage, byDefault),
      thresholdPercent: pod.thresholdPercent ?? byDefault,
    };
  });
}
