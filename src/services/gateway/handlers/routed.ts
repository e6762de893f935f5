// Forwards requests about one resource to its pod, even while the pod is under maintenance.
import type { GatewayCall, Handler } from '../call.ts';
import { requestFromPod } from '../clients/pods.ts';
import type { Pod, ResourceType } from '../clients/tricircle.ts';
import {
  idInPath,
  isResourcePath,
  pathBelowVersion,
  removeRoutingIfGone,
  requirePodOf,
} from '../clients/routed-resources.ts';
import { replyOf } from '../views/replies.ts';

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
    if (isResourcePath(call, type, id) && (method === 'DELETE' || reply.status === 404))
      await removeRoutingIfGone(call, pod, type, id);
    return replyOf(reply, pod.azName);
  };
