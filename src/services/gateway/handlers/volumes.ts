// Handlers for volumes. A volume is created in the pod of its tenant, to which the gateway forwards
// later requests about it.
import { ok } from '../../../kernel/http/reply.ts';
import { authorize } from '../../../kernel/http/steps.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { GatewayCall, Handler, Json } from '../call.ts';
import { isSuccess } from '../clients/message.ts';
import { requestFromPod } from '../clients/pods.ts';
import { requireInPod, requirePodOf, unknownResource } from '../clients/routed-resources.ts';
import { routingOf } from '../clients/tricircle.ts';
import { carryingImage, uploadBy } from '../domain/images/made.ts';
import { listedPods } from '../domain/pod-lists.ts';
import { withinVolumeQuota } from '../domain/volume-quotas.ts';
import { actionDemand, bringImage, bringVolumeType, createVolume } from '../domain/volumes.ts';
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
  unknownMarker: (id: string) => unknownResource('volume', id),
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

/** GET /volumes/summary: the sum over the pods, with the values of each key of the metadata. */
export async function summarize(call: GatewayCall): Promise<Reply> {
  const replies = await Promise.all(
    (await listedPods(call)).map((pod) => requestFromPod(call, pod)),
  );
  const refusal = replies.find((reply) => !isSuccess(reply));
  if (refusal) return replyOf(refusal);
  const summaries = replies.map(
    ({ body }) => (body as { 'volume-summary': Summary })['volume-summary'],
  );
  const sum = (field: 'total_count' | 'total_size'): number =>
    summaries.reduce((total, summary) => total + summary[field], 0);
  const metadata = mergeValues(summaries.map((summary) => summary.metadata ?? {}));
  return ok({
    'volume-summary': {
      total_count: sum('total_count'),
      total_size: sum('total_size'),
      ...call.version.since('3.36', { metadata }),
    },
  });
}

interface Summary {
  readonly total_count: number;
  readonly total_size: number;
  readonly metadata?: Readonly<Record<string, readonly string[]>>;
}

/** Merges the distinct values of each key. */
function mergeValues(
  maps: readonly Readonly<Record<string, readonly string[]>>[],
): Record<string, string[]> {
  const merged = new Map<string, Set<string>>();
  for (const [key, values] of maps.flatMap((map) => Object.entries(map)))
    merged.set(key, new Set([...(merged.get(key) ?? []), ...values]));
  return Object.fromEntries([...merged].map(([key, values]) => [key, [...values]]));
}

/**
 * POST /volumes/:id/action. What an action adds to the usage must stay within the quotas.
 * @throws 413
 */
export const act: Handler = async (call, own) => {
  if ('os-volume_upload_image' in (call.body as Json)) return uploadImage(call, own);
  const demand = await actionDemand(call, call.params['volume_id']!);
  return demand
    ? withinVolumeQuota(call, demand, () => forwardAction(call, own))
    : forwardAction(call, own);
};

/**
 * Forwards an action. For a retype, the pod first gets the type, and the request its name; for a
 * reimage, it gets the image.
 * @throws 400 for a server in another pod, 404, 409
 */
const forwardAction = routed('volume', async (call, pod) => {
  const [[action, value]] = Object.entries(call.body as Json) as [[string, unknown]];
  const fields = (typeof value === 'object' && value !== null ? value : {}) as Json;
  const { instance_uuid: serverId, new_type: newType } = fields;
  if (action === 'os-attach' && typeof serverId === 'string')
    await requireInPod(call, pod, 'server', serverId);
  if (action === 'os-reimage') await bringImage(call, pod, String(fields['image_id']));
  if (action !== 'os-retype' || typeof newType !== 'string') return undefined;
  const name = await bringVolumeType(call, pod, newType);
  return name === undefined ? undefined : { 'os-retype': { ...fields, new_type: name } };
});

/**
 * Makes an image of a volume in its pod, and creates the central image with the same id. The image
 * belongs to the volume's project.
 */
const uploadImage: Handler = async (call, own) => {
  const id = call.params['volume_id']!;
  const pod = await requirePodOf(call, 'volume', id);
  const { image_name: imageName } = (call.body as { 'os-volume_upload_image': Json })[
    'os-volume_upload_image'
  ];
  const routing = await routingOf(call, { topId: id, resourceType: 'volume' });
  const projectId = routing?.projectId ?? call.caller?.projectId ?? '';
  const source = await uploadBy(call, pod, { projectId, imageName: String(imageName) });
  return carryingImage(call, pod, source, () => forwardAction(call, own));
};
