// Handlers for snapshots, which are in the pods of their volumes.
import type { Reply } from '../../../kernel/model.ts';
import type { GatewayCall } from '../call.ts';
import { createInPod, requirePodOf, unknownResource } from '../clients/routed-resources.ts';
import { withinVolumeQuota } from '../domain/volume-quotas.ts';
import { snapshotDemand } from '../domain/volumes.ts';
import { replyOf } from '../views/replies.ts';
import { listed } from './lists.ts';
import { volumeSortKeys } from './volume-sort-keys.ts';

/** POST /snapshots @throws 404 */
export async function create(call: GatewayCall): Promise<Reply> {
  const { volume_id: volumeId } = (call.body as { snapshot: { volume_id: string } }).snapshot;
  const pod = await requirePodOf(call, 'volume', volumeId);
  const demand = await snapshotDemand(call, pod, volumeId);
  const create = () => createInPod(call, pod, 'snapshot');
  return replyOf(await (demand ? withinVolumeQuota(call, demand, create) : create()));
}

const snapshots = {
  type: 'snapshot',
  key: 'snapshots',
  path: '/snapshots/detail',
  sortKeysOf: volumeSortKeys,
  unknownMarker: (id: string) => unknownResource('snapshot', id),
} as const;

/** The fields that the list without details shows. */
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
];

export const list = listed({
  ...snapshots,
  linkPath: '/snapshots',
  show: (snapshot) =>
    Object.fromEntries(
      briefFields.flatMap((name) => (name in snapshot ? [[name, snapshot[name]]] : [])),
    ),
});
export const detail = listed({
  ...snapshots,
  linkPath: '/snapshots/detail',
  show: (snapshot) => snapshot,
});
