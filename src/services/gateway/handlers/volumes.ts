// Handlers for volumes. A volume is created in the pod of its tenant, to which the gateway forwards
// later requests about it.
import { authorize } from '../../../kernel/http/steps.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { GatewayCall, Json } from '../call.ts';
import { requireInPod } from '../clients/routed-resources.ts';
import { bringVolumeType, createVolume } from '../domain/volumes.ts';
import { replyOf } from '../views/replies.ts';
import { listed } from './lists.ts';
import { routed } from './routed.ts';
import { volumeSortKeys } from './volume-sort-keys.ts';

/** POST /volumes @throws 400, 403, 404, 409, 500, 503, 504 */
export async function create(call: GatewayCall): Promise<Reply> {
  const owner = { project_id: call.caller?.projectId, user_id: call.caller?.userId };
  authorize(call, 'volume:create', owner);
  const { pod, reply } = await createVolume(call, call.body as { volume: Json });
  return replyOf(reply, pod.azName);
}

const volumes = {
  type: 'volume',
  key: 'volumes',
  path: '/volumes/detail',
  sortKeysOf: volumeSortKeys,
} as const;

export const list = listed({
  ...volumes,
  linkPath: '/volumes',
  show: ({ id, name, links }) => ({ id, name, links }),
});
export const detail = listed({
  ...volumes,
  linkPath: '/volumes/detail',
  show: (volume) => volume,
});

/**
 * POST /volumes/:id/action: for a retype, the pod first gets the type, and the request its name.
 * @throws 400 for a server in another pod, 404
 */
export const act = routed('volume', async (call, pod) => {
  const [[action, value]] = Object.entries(call.body as Json) as [[string, unknown]];
  const fields = (typeof value === 'object' && value !== null ? value : {}) as Json;
  const { instance_uuid: serverId, new_type: newType } = fields;
  if (action === 'os-attach' && typeof serverId === 'string')
    await requireInPod(call, pod, 'server', serverId);
  if (action !== 'os-retype' || typeof newType !== 'string') return undefined;
  const name = await bringVolumeType(call, pod, newType);
  return name === undefined ? undefined : { 'os-retype': { ...fields, new_type: name } };
});
