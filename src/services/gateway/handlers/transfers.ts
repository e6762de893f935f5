// Handlers for transfers of volumes, which are in the pods of their volumes. Both paths of Cinder
// have the same operations.
import type { GatewayCall, Handler } from '../call.ts';
import type { SortKey } from '../domain/merge.ts';
import { acceptTransfer } from '../domain/transfers.ts';
import { createInPod, requirePodOf, unknownResource } from '../clients/routed-resources.ts';
import { replyOf } from '../views/replies.ts';
import { listed, type Listing } from './lists.ts';
import { volumeSortKeys } from './volume-sort-keys.ts';

/** POST /volume-transfers @throws 404 for an unknown volume */
export const create: Handler = async (call) => {
  const { volume_id: volumeId } = (call.body as { transfer: { volume_id: string } }).transfer;
  const pod = await requirePodOf(call, 'volume', volumeId);
  return replyOf(await createInPod(call, pod, 'transfer'));
};

/** POST /volume-transfers/:id/accept @throws 404, 413 */
export const accept: Handler = async (call) => {
  const id = call.params['transfer_id']!;
  const pod = await requirePodOf(call, 'transfer', id);
  return replyOf(await acceptTransfer(call, pod, id));
};

/** The order of a list: oldest first on the older path, and before 3.59. */
const sortKeysOf = (call: GatewayCall): SortKey[] =>
  call.path.startsWith('/v3/volume-transfers') && call.version.has('3.59')
    ? volumeSortKeys(call)
    : ['created_at', 'id'].map((field) => ({ field, isDescending: false }));

const listing = (path: string): Omit<Listing, 'linkPath' | 'show'> => ({
  type: 'transfer',
  key: 'transfers',
  path: `${path}/detail`,
  sortKeysOf,
  unknownMarker: (id) => unknownResource('transfer', id),
});

/** The lists on one of the two paths, such as `/volume-transfers`. */
export const listsAt = (path: string): { readonly list: Handler; readonly detail: Handler } => ({
  list: listed({
    ...listing(path),
    linkPath: path,
    show: ({ id, volume_id: volumeId, name, links }) => ({ id, volume_id: volumeId, name, links }),
  }),
  detail: listed({ ...listing(path), linkPath: `${path}/detail`, show: (transfer) => transfer }),
});
