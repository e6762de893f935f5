// What Tricircle asks of a pod's Nova: how full its hypervisors are.
import type { ServiceDefinition, Context } from '../../../kernel/model.ts';
import { compute } from '../../compute/index.ts';
import type { NovaUsage, Pod } from '../model.ts';
import { askPod, unreadable } from './pods.ts';

/** The sums over the pod's hypervisors; undefined where the pod has no Nova. @throws PodFailure */
export async function novaUsageOf(context: Context, pod: Pod): Promise<NovaUsage | undefined> {
  const answer = await askPod(context, pod, {
    definition: compute as ServiceDefinition,
    serviceType: 'compute',
    version: '/v2.1',
    path: '/os-hypervisors/statistics',
  });
  if (!answer) return undefined;
  const statistics = answer['hypervisor_statistics'];
  if (typeof statistics !== 'object' || statistics === null) throw unreadable('nova', pod);
  const isAmount = (value: unknown): boolean =>
    value === null || (typeof value === 'number' && Number.isFinite(value));
  return Object.fromEntries(
    Object.entries(statistics).filter(([, value]) => isAmount(value)),
  ) as NovaUsage;
}
