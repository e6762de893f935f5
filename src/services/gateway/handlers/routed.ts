// Forwards requests about one resource to its pod, even while the pod is under maintenance.
import type { GatewayCall, Handler, Json } from '../call.ts';
import { successBody, type ServiceReply } from '../clients/message.ts';
import { requestFromPod } from '../clients/pods.ts';
import type { Pod, ResourceType } from '../clients/tricircle.ts';
import {
  idInPath,
  isResourcePath,
  pathBelowVersion,
  removeRoutingIfGone,
  requirePodOf,
} from '../clients/routed-resources.ts';
import { settleSoon } from '../domain/server-ports.ts';
import { replyOf } from '../views/replies.ts';
import { withCentralNetworks } from './server-networks.ts';

/** The reply with the central region's networks, if it shows a server. */
async function withNetworksOf(call: GatewayCall, reply: ServiceReply): Promise<ServiceReply> {
  const server = successBody(reply)?.['server'] as Json | undefined;
  if (typeof server !== 'object' || server === null) return reply;
  const [shown] = await withCentralNetworks(call, [server]);
  return { ...reply, body: { ...(reply.body as Json), server: shown } };
}

/**
 * Creates a handler that forwards requests.
 * @param prepare runs before the request is forwarded, and may return another body
 */
export const routed =
  (type: ResourceType, prepare?: (call: GatewayCall, pod: Pod) => Promise<unknown>): Handler =>
  async (call) => {
    const id = idInPath(call, type);
    const pod = await requirePodOf(call, type, id);
    const body = await prepare?.(call, pod);
    const { method, query } = call;
    const changed = { method, body, query: query.text, path: pathBelowVersion(call) };
    const reply = await requestFromPod(call, pod, body === undefined ? {} : changed);
    const isGone = isResourcePath(call, type, id) && (method === 'DELETE' || reply.status === 404);
    if (isGone) await removeRoutingIfGone(call, pod, type, id);
    if (type !== 'server') return replyOf(reply, pod.azName);
    if (isGone || method === 'POST')
      await settleSoon(call, pod, { id, projectId: call.caller?.projectId ?? '' });
    return replyOf(await withNetworksOf(call, reply), pod.azName);
  };
