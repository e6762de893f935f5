// The client of Nova in a pod: the usage of its hypervisors, and the states of servers.
import { contextWith } from '../../../kernel/context.ts';
import type { ServiceDefinition, Context } from '../../../kernel/model.ts';
import { compute, findServers, listGuestPorts, type ServerPort } from '../../compute/index.ts';
import type { NovaUsage, Pod } from '../model.ts';
import { callPod, localRegion, PodFailure, requestPod, unexpectedReply } from './pods.ts';

export const computeDefinition = compute as ServiceDefinition;

/** Reads the totals over a pod's hypervisors; undefined if it has no Nova. @throws PodFailure */
export async function readNovaUsage(context: Context, pod: Pod): Promise<NovaUsage | undefined> {
  const reply = await callPod(context, pod, {
    definition: computeDefinition,
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

/**
 * Reads the state of a server. In a region of this cloud, this reads one row of a table, because
 * Nova's reply would also read the server's networks and volumes.
 * @returns undefined if the pod has no such server
 * @throws PodFailure
 */
export async function readServer(
  context: Context,
  pod: Pod,
  id: string,
): Promise<ServerInPod | undefined> {
  const region = await localRegion(context, pod, 'compute');
  if (region) {
    const here = contextWith(context, { region, db: region.database.db });
    const [server] = await findServers(here, [id]);
    return server && { host: server.host, taskState: server.taskState };
  }
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

/** Lists the ports that a server has in the central region, in the order of their attachment. */
export const centralPortsOf = (
  central: Context,
  serverId: string,
): Promise<readonly ServerPort[]> => listGuestPorts(central, [serverId]);
