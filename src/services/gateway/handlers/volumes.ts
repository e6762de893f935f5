// Volumes and their snapshots: created in the pod of their tenant, and found there again.
import { notFound } from '../../../kernel/errors.ts';
import { authorize } from '../../../kernel/http/steps.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { GatewayCall, Json } from '../call.ts';
import type { Order } from '../domain/merge.ts';
import { referencesOfVolume } from '../domain/references.ts';
import { askPod, isOk } from '../clients/pods.ts';
import { route } from '../clients/tricircle.ts';
import { replyOf } from '../views/answers.ts';
import { inPodsZone, podFor } from './choice.ts';
import { listed } from './lists.ts';
import { knownPodOf, requireInPod, routed } from './routed.ts';
import { ensureImage } from './sync.ts';
import { ensureVolumeType, volumeTypeOf } from './volume-types.ts';

/** POST /volumes @throws 400, 403, 404, 409, 500, 503, 504 */
export async function create(call: GatewayCall): Promise<Reply> {
  const body = call.body as { volume: Json };
  const { volume } = body;
  authorize(call, 'volume:create', {
    project_id: call.caller?.projectId,
    user_id: call.caller?.userId,
  });
  const asked = volume['volume_type'];
  const type =
    typeof asked === 'string' && asked !== '' ? await volumeTypeOf(call, asked) : undefined;
  if (typeof asked === 'string' && asked !== '' && !type)
    throw notFound(`Volume type with name ${asked} could not be found.`);
  const wish = {
    zone: volume['availability_zone'],
    specs: type?.extra_specs ?? {},
    references: referencesOfVolume(body),
  };
  const pod = await podFor(call, wish);
  if (type) await ensureVolumeType(call, pod, type);
  if (typeof volume['imageRef'] === 'string') await ensureImage(call, pod, volume['imageRef']);
  const fields = { ...inPodsZone(volume, pod), ...(type ? { volume_type: type.name } : {}) };
  const answer = await askPod(call, pod, {
    method: 'POST',
    path: '/volumes',
    body: { ...body, volume: fields },
  });
  if (isOk(answer)) {
    const { id } = (answer.body as { volume: { id: string } }).volume;
    await route(call, {
      topId: id,
      podId: pod.id,
      projectId: call.caller!.projectId!,
      kind: 'volume',
    });
  }
  return replyOf(answer, pod.azName);
}

/**
 * The order of a list: `sort=name:asc,size`, or the older `sort_key` and `sort_dir`. Cinder's
 * fields are shown under their names.
 */
function orderOf({ query }: GatewayCall): Order[] {
  const { sort_key: key = 'created_at', sort_dir: direction = 'desc' } = {
    sort_key: query.last('sort_key'),
    sort_dir: query.last('sort_dir'),
  };
  const parts = (query.last('sort') ?? `${key}:${direction}`)
    .split(',')
    .map((part) => part.trim().split(':'));
  const order = parts.map(([name = '', way = 'desc']) => ({
    field: name === 'display_name' ? 'name' : name,
    isDescending: way === 'desc',
  }));
  const last = order.at(-1)!.isDescending;
  return [...order, ...['created_at', 'id'].map((field) => ({ field, isDescending: last }))];
}

const volumes = { kind: 'volume', key: 'volumes', path: '/volumes/detail', orderOf } as const;

export const list = listed({
  ...volumes,
  linkPath: '/volumes',
  shown: ({ id, name, links }) => ({ id, name, links }),
});
export const detail = listed({
  ...volumes,
  linkPath: '/volumes/detail',
  shown: (volume) => volume,
});

/** POST /volumes/:id/action. @throws 400 for a server in another pod, 404 */
export const act = routed('volume', async (call, pod) => {
  const [[name, value]] = Object.entries(call.body as Json) as [[string, unknown]];
  const given = (typeof value === 'object' && value !== null ? value : {}) as Json;
  const { instance_uuid: server, new_type: typeName } = given;
  if (name === 'os-attach' && typeof server === 'string')
    await requireInPod(call, pod, 'server', server);
  if (name !== 'os-retype' || typeof typeName !== 'string') return undefined;
  const type = await volumeTypeOf(call, typeName);
  if (!type) return undefined;
  await ensureVolumeType(call, pod, type);
  return { 'os-retype': { ...given, new_type: type.name } };
});

/** POST /snapshots: beside the volume. @throws 404 */
export async function createSnapshot(call: GatewayCall): Promise<Reply> {
  const { volume_id: volumeId } = (call.body as { snapshot: { volume_id: string } }).snapshot;
  const pod = await knownPodOf(call, 'volume', volumeId);
  const answer = await askPod(call, pod);
  if (isOk(answer)) {
    const { id } = (answer.body as { snapshot: { id: string } }).snapshot;
    await route(call, {
      topId: id,
      podId: pod.id,
      projectId: call.caller!.projectId!,
      kind: 'snapshot',
    });
  }
  return replyOf(answer);
}

const snapshots = {
  kind: 'snapshot',
  key: 'snapshots',
  path: '/snapshots/detail',
  orderOf,
} as const;
const briefFields = [
  'id',
  'name',
  'description',
  'volume_id',
  'status',
  'size',
  'created_at',
  'updated_at',
  'metadata',
  'user_id',
  'group_snapshot_id',
  'consumes_quota',
];

export const listSnapshots = listed({
  ...snapshots,
  linkPath: '/snapshots',
  shown: (snapshot) =>
    Object.fromEntries(
      briefFields.flatMap((name) => (name in snapshot ? [[name, snapshot[name]]] : [])),
    ),
});
export const detailSnapshots = listed({
  ...snapshots,
  linkPath: '/snapshots/detail',
  shown: (snapshot) => snapshot,
});
