// The handlers of transfers: list, show, create, accept, delete, below two paths. Upstream:
// cinder/api/v3/volume_transfer.py and cinder/api/contrib.
import { accepted, ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import { isTrue } from '../../../kernel/oslo/booleans.ts';
import type { VolumeCall } from '../call.ts';
import { acquireQuotaLock } from '../domain/quotas.ts';
import type { Transfer } from '../model.ts';
import {
  acceptTransfer,
  createTransfer,
  listTransfers,
  removeTransfer,
  transferFor,
} from '../domain/transfers.ts';
import { volumeFor } from '../domain/volumes/volumes.ts';
import { pageLimitsOf } from '../domain/settings.ts';
import { authorize } from '../policy.ts';
import type { ListRequest } from '../store/lists.ts';
import { nextLink } from '../views/links.ts';
import { transferDetail, transferSummary } from '../views/transfers.ts';
import { plainList, readListQuery } from './requests/list-query.ts';
import { bodyOf, requiredName } from './requests/body.ts';
import { transferFields } from './requests/list-fields.ts';

/** GET /v3/volume-transfers and /v3/os-volume-transfer */
export const list = (call: VolumeCall): Promise<Reply> => listed(call, transferSummary);

/** GET /v3/volume-transfers/detail and /v3/os-volume-transfer/detail */
export const listDetail = (call: VolumeCall): Promise<Reply> => listed(call, transferDetail);

async function listed(
  call: VolumeCall,
  view: (call: VolumeCall, transfer: Transfer) => object,
): Promise<Reply> {
  authorize(call, 'volume:get_all_transfers');
  const limits = await pageLimitsOf(call);
  const options = { ...plainList, isAdmin: call.actor.isAdmin };
  const request = readListQuery(call.query, transferFields, options, limits);
  const transfers = await listTransfers(call, isSorted(call) ? request : oldestFirst(request));
  const link = nextLink(call, 'os-volume-transfer', 'transfers_links', transfers, limits);
  return ok({ transfers: transfers.map((transfer) => view(call, transfer)), ...link });
}

/** Returns whether the request may set the order and a marker: on the newer path from 3.59 on. */
const isSorted = ({ path, version }: VolumeCall): boolean =>
  path.startsWith('/v3/volume-transfers') && version.has('3.59');

const oldestFirst = (request: ListRequest<Transfer>): ListRequest<Transfer> => ({
  ...request,
  marker: undefined,
  sort: [{ field: 'createdAt' }, { field: 'id' }],
});

/** GET /v3/volume-transfers/{transfer_id} and /v3/os-volume-transfer/{transfer_id} */
export async function show(call: VolumeCall): Promise<Reply> {
  authorize(call, 'volume:get_transfer');
  const { transfer } = await transferFor(call, call.params['transfer_id']!);
  return ok({ transfer: transferDetail(call, transfer) });
}

/** POST /v3/volume-transfers */
export const create = (call: VolumeCall): Promise<Reply> =>
  createTransferOn(call, { isOlder: false });

/** POST /v3/os-volume-transfer. It includes the snapshots, and rejects encrypted volumes. */
export const createOlder = (call: VolumeCall): Promise<Reply> =>
  createTransferOn(call, { isOlder: true });

interface TransferBody {
  readonly volume_id: string;
  readonly name?: string | null;
  readonly no_snapshots?: unknown;
}

async function createTransferOn(
  call: VolumeCall,
  { isOlder }: { readonly isOlder: boolean },
): Promise<Reply> {
  const fields = bodyOf<TransferBody>(call, 'transfer');
  const name = fields.name == null ? null : requiredName(fields.name);
  const volume = await volumeFor(call, fields.volume_id);
  authorize(call, 'volume:create_transfer', volume.projectId);
  const { transfer, key } = await createTransfer(call, volume, {
    name,
    noSnapshots: !isOlder && isTrue(fields.no_snapshots),
    allowEncrypted: !isOlder && call.version.has('3.70'),
  });
  return accepted({ transfer: { ...transferDetail(call, transfer), auth_key: key } });
}

/**
 * POST /v3/volume-transfers/{transfer_id}/accept and /v3/os-volume-transfer/{transfer_id}/accept
 */
export async function accept(call: VolumeCall): Promise<Reply> {
  await acquireQuotaLock(call);
  authorize(call, 'volume:accept_transfer');
  const key = String(bodyOf<{ readonly auth_key: string }>(call, 'accept').auth_key);
  const transfer = await acceptTransfer(call, call.params['transfer_id']!, key);
  return accepted({ transfer: transferSummary(call, transfer) });
}

/** DELETE /v3/volume-transfers/{transfer_id} and /v3/os-volume-transfer/{transfer_id} */
export async function remove(call: VolumeCall): Promise<Reply> {
  const found = await transferFor(call, call.params['transfer_id']!);
  authorize(call, 'volume:delete_transfer', found.volume.projectId);
  await removeTransfer(call, found);
  return accepted();
}
