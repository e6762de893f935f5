// Handlers for server groups. A group is in the pod that its project gets for general requests.
import { ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { GatewayCall } from '../call.ts';
import { withinGroupQuota } from '../domain/compute-quotas.ts';
import { choosePodFor } from '../domain/pod-choice.ts';
import { readPodLists } from '../domain/pod-lists.ts';
import { createInPod } from '../clients/routed-resources.ts';
import { inZone, replyOf } from '../views/replies.ts';
import { orRefusal } from './lists.ts';

/** POST /os-server-groups @throws 403, 500 */
export async function create(call: GatewayCall): Promise<Reply> {
  const pod = await choosePodFor(call, {});
  return replyOf(await withinGroupQuota(call, () => createInPod(call, pod, 'server_group')));
}

/** GET /os-server-groups: concatenates the lists of the pods. */
export const list = orRefusal(async (call) => {
  const key = 'server_groups';
  const lists = await readPodLists(call, { type: 'server_group', key, path: '/os-server-groups' });
  const groups = lists.flatMap(({ pod, items }) => items.map((item) => inZone(item, pod.azName)));
  const offset = Number(call.query.last('offset') ?? 0);
  const limit = Number(call.query.last('limit') ?? 0) || Infinity;
  return ok({ [key]: groups.slice(offset, offset + limit) });
});
