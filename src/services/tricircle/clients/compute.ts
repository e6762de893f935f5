// The client of Nova in a pod: the usage of its hypervisors.
import type { ServiceDefinition, Context } from '../../../kernel/model.ts';
import { compute } from '../../compute/index.ts';
import type { NovaUsage, Pod } from '../model.ts';
import { callPod, unexpectedReply } from './pods.ts';

/** Reads the totals over a pod's hypervisors; undefined if it has no Nova. @throws PodFailure */
export async function readNovaUsage(context: Context, pod: Pod): Promise<NovaUsage | undefined> {
  const reply = await callPod(context, pod, {
    definition: compute as ServiceDefinition,
    serviceType: 'compute',
    version: '/v2.1',
    path: '/os-hypervisors/statistics',
  });
  if (!reply) return undefined;
  const statistics = reply['hypervisor_statistics'];
  if (typeof statistics !== 'object' || statistics === null) throw unexpectedReply('nova', pod);
  const isAmount = (value: unknown): value is number | null =>
    value === null || (typeof value === 'number' && Number.isFinite(value));
  return Object.fromEntries(
    Object.entries(statistics).filter((entry): entry is [string, number | null] =>
      isAmount(entry[1]),
    ),
  );
}
