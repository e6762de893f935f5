// Transfers: list, show, create, accept, delete, below two paths. Upstream: cinder/api/v3/volume_transfer.py and cinder/api/contrib.
import { accepted, ok } from '../../../kernel/http/reply.ts';
import { badRequest } from '../../../kernel/fault.ts';
import { readQuery, type Kind } from '../domain/list-query.ts';
import { takeQuotaTurn } from '../domain/quotas.ts';
import { acceptTransfer, createTransfer, dropTransfer, transferFor, type Transfer } from '../domain/transfers.ts';
import { volumeFor } from '../domain/volumes.ts';
import { listTransfers, transferPlace } from '../store/transfers.ts';
import { linksOf, nextLink } from '../views/links.ts';
import { timeView } from '../views/times.ts';
import { allow, bodyOf, makerOf, truth, viewerOf } from './requests.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { VolumeCall } from '../call.ts';

const kind: Kind = {
  columns: { id: 'id', name: 'name', display_name: 'name', volume_id: 'volume_id', source_project_id: 'source_project_id' },
  open: ['id', 'name', 'display_name', 'volume_id', 'source_project_id'],
  booleans: [],
  numbers: [],
  sortable: { id: 'id', display_name: 'name', volume_id: 'volume_id', created_at: 'created_at' },
  empty: ['destination_project_id'],
};

// Both paths have links to the older one.
const summary = (call: VolumeCall, { id, volumeId, name }: Transfer): object => ({
  id,
  volume_id: volumeId,
  name,
  links: linksOf(call, 'os-volume-transfer', id),
});

const detail = (call: VolumeCall, transfer: Transfer): object => ({
  ...summary(call, transfer),
  created_at: timeView(transfer.createdAt),
  ...call.at.since('3.55', { no_snapshots: transfer.noSnapshots }),
  // One that was accepted is there no more.
  ...call.at.since('3.57', { destination_project_id: null, source_project_id: transfer.sourceProjectId, accepted: false }),
});

/** Lists transfers, oldest first where the version knows of no order. */
async function listed(call: VolumeCall, paged: boolean, view: (transfer: Transfer) => object): Promise<Reply> {
  const { db } = call;
  allow(call, 'volume:get_all_transfers');
  const viewer = viewerOf(call);
  const { marker, allTenants, sort, ...listing } = readQuery(call.query, kind, {
    isAdmin: viewer.isAdmin,
    refusesUnknown: false,
    findsParts: false,
    strictBooleans: false,
    notYet: [],
    withCount: false,
  });
  const place = paged && marker !== undefined ? transferPlace((await transferFor(db, viewer, marker)).transfer) : undefined;
  const projectId = allTenants ? undefined : (viewer.projectId ?? '');
  const oldest = ['created_at', 'id'].map((column) => ({ column, direction: 'asc' as const }));
  const found = await listTransfers(db, { ...listing, projectId, after: place, sort: paged ? sort : oldest });
  return ok({ transfers: found.map(view), ...nextLink(call, 'os-volume-transfer', 'transfers_links', found) });
}

const isPaged = (call: VolumeCall): boolean => call.path.startsWith('/v3/volume-transfers') && call.at.has('3.59');

/** GET /v3/volume-transfers and /v3/os-volume-transfer */
export const list = (call: VolumeCall): Promise<Reply> => listed(call, isPaged(call), (transfer) => summary(call, transfer));

/** GET /v3/volume-transfers/detail and /v3/os-volume-transfer/detail */
export const listDetail = (call: VolumeCall): Promise<Reply> => listed(call, isPaged(call), (transfer) => detail(call, transfer));

/** GET /v3/volume-transfers/{transfer_id} and /v3/os-volume-transfer/{transfer_id} */
export async function show(call: VolumeCall): Promise<Reply> {
  allow(call, 'volume:get_transfer');
  const { transfer } = await transferFor(call.db, viewerOf(call), call.params['transfer_id']!);
  return ok({ transfer: detail(call, transfer) });
}

/** @throws 400 */
function nameOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const name = (value as string).trim();
  const refused = (why: string): Error => badRequest(`An invalid 'name' value was provided. The 'name' can not be ${why}.`);
  if (!value) throw refused('None');
  if (!name) throw refused('empty');
  if (name.length > 255) throw refused('greater than 255 characters');
  return name;
}

async function make(call: VolumeCall, isNewer: boolean): Promise<Reply> {
  const fields = bodyOf(call, 'transfer');
  const name = nameOf(fields['name']);
  const volume = await volumeFor(call.db, viewerOf(call), fields['volume_id'] as string);
  allow(call, 'volume:create_transfer', volume.projectId);
  const request = {
    name,
    noSnapshots: isNewer && truth(fields['no_snapshots'] ?? false),
    encrypted: isNewer && call.at.has('3.70'),
  };
  const { transfer, key } = await createTransfer(call.db, volume, request, call.now);
  return accepted({ transfer: { ...detail(call, transfer), auth_key: key } });
}

/** POST /v3/volume-transfers */
export const create = (call: VolumeCall): Promise<Reply> => make(call, true);

/** POST /v3/os-volume-transfer: with all snapshots, and not of encrypted volumes */
export const createOld = (call: VolumeCall): Promise<Reply> => make(call, false);

/** POST /v3/volume-transfers/{transfer_id}/accept and /v3/os-volume-transfer/{transfer_id}/accept */
export async function accept(call: VolumeCall): Promise<Reply> {
  await takeQuotaTurn(call.db);
  allow(call, 'volume:accept_transfer');
  const key = String(bodyOf(call, 'accept')['auth_key']);
  const transfer = await acceptTransfer(call.db, makerOf(call), call.params['transfer_id']!, key, call.now);
  return accepted({ transfer: summary(call, transfer) });
}

/** DELETE /v3/volume-transfers/{transfer_id} and /v3/os-volume-transfer/{transfer_id} */
export async function remove(call: VolumeCall): Promise<Reply> {
  const { transfer, volume } = await transferFor(call.db, viewerOf(call), call.params['transfer_id']!);
  allow(call, 'volume:delete_transfer', volume.projectId);
  await dropTransfer(call.db, transfer, volume, call.now);
  return accepted();
}
