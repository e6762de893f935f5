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
  findPodOf,
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

type Prepare = (call: GatewayCall, pod: Pod) => Promise<unknown>;

async function forwardTo(
  call: GatewayCall,
  pod: Pod,
  prepare: Prepare | undefined,
): Promise<ServiceReply> {
  const body = await prepare?.(call, pod);
  const { method, query } = call;
  const changed = { method, body, query: query.text, path: pathBelowVersion(call) };
  return requestFromPod(call, pod, body === undefined ? {} : changed);
}

/**
 * Creates a handler that forwards requests.
 * @param prepare runs before the request is forwarded, and may return another body
 */
export const routed =
  (type: ResourceType, prepare?: Prepare): Handler =>
  async (call) => {
    const id = idInPath(call, type);
    let pod = await requirePodOf(call, type, id);
    let reply = await forwardTo(call, pod, prepare);
    if (reply.status === 404) {
      // A migration may have moved it since its pod was found.
      const found = await findPodOf(call, type, id);
      if (found && found.id !== pod.id) {
        pod = found;
        reply = await forwardTo(call, pod, prepare);
      }
    }
    const { method } = call;
    const isGone = isResourcePath(call, type, id) && (method === 'DELETE' || reply.status === 404);
    if (isGone) await removeRoutingIfGone(call, pod, type, id);
    if (type !== 'server') return replyOf(reply, pod.azName);
    if (isGone || method === 'POST')
      await settleSoon(call, pod, { id, projectId: call.caller?.projectId ?? '' });
    return replyOf(await withNetworksOf(call, reply), pod.azName);
  };
