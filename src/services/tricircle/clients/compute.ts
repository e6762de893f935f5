// The client of Nova in a pod: the usage of its hypervisors, and the states of servers.
import type { ServiceDefinition, Context } from '../../../kernel/model.ts';
import { compute } from '../../compute/index.ts';
import type { NovaUsage, Pod } from '../model.ts';
import { callPod, PodFailure, requestPod, unexpectedReply } from './pods.ts';

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

/** The state of a server in a pod. */
export interface ServerInPod {
  readonly host: string | null;
  /** Null if Nova does nothing with it at present. */
  readonly taskState: string | null;
}

/** Reads the state of a server; undefined if there is none. @throws PodFailure */
export async function readServer(
  context: Context,
  pod: Pod,
  id: string,
): Promise<ServerInPod | undefined> {
  const request = { method: 'GET', path: `/servers/${id}` };
  const { status, body } = await requestPod(context, pod, 'compute', request);
  if (status === 404) return undefined;
  if (status >= 300) throw new PodFailure(String(body['message']));
  const server = body['server'] as Readonly<Record<string, string | null>>;
  return {
    host: server['OS-EXT-SRV-ATTR:host'] ?? null,
    taskState: server['OS-EXT-STS:task_state'] ?? null,
  };
}
