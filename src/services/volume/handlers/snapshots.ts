// Snapshots: list, show, create, update, delete, and actions.
import { accepted, ok, reply, type Reply } from '../../../kernel/http/call.ts';
import { badRequest } from '../../../kernel/http/fault.ts';
import { readQuery, type Kind } from '../domain/list-query.ts';
import { takeQuotaTurn } from '../domain/quotas.ts';
import type { Metadata, Snapshot } from '../domain/records.ts';
import { createSnapshot, removeSnapshot } from '../domain/snapshots.ts';
import { snapshotFor, volumeFor } from '../domain/volumes.ts';
import type { VolumeCall } from '../index.ts';
import { countSnapshots, listSnapshots, snapshotPlace, updateSnapshot } from '../store/snapshots.ts';
import { nextLink } from '../views/links.ts';
import { snapshotDetail, snapshotFull, snapshotSummary } from '../views/snapshots.ts';
import { allow, bodyOf, makerOf, trimmed, truth, viewerOf, type Fields } from './requests.ts';
import { quotaFree } from './volumes.ts';

const kind: Kind = {
  columns: {
    id: 'id', name: 'name', display_name: 'name', description: 'description', display_description: 'description', status: 'status',
    volume_id: 'volume_id', volume_size: 'size', project_id: 'project_id', user_id: 'user_id', progress: 'progress', volume_type_id: 'type_id',
  },
  open: ['name', 'status', 'volume_id', 'metadata', 'availability_zone', 'consumes_quota'],
  booleans: [],
  numbers: ['volume_size'],
  sortable: {
    id: 'id', display_name: 'name', status: 'status', volume_id: 'volume_id', volume_size: 'size', created_at: 'created_at',
    updated_at: 'updated_at', project_id: 'project_id', user_id: 'user_id',
  },
  empty: ['cgsnapshot_id', 'group_snapshot_id', 'encryption_key_id'],
}; // prettier-ignore

/** GET /v3/snapshots */
export const list = (call: VolumeCall): Promise<Reply> => listed(call, 'snapshots', snapshotSummary);

/** GET /v3/snapshots/detail */
export const listDetail = (call: VolumeCall): Promise<Reply> =>
  listed(call, 'snapshots/detail', (snapshot) => snapshotFull(call, snapshot));

async function listed(call: VolumeCall, collection: string, view: (snapshot: Snapshot) => object): Promise<Reply> {
  const { at, db } = call;
  allow(call, 'volume:get_all_snapshots');
  const viewer = viewerOf(call);
  // Sorting by name is called so from 3.30 on; before, by the column's own name.
  const sortable = at.has('3.30') ? { ...kind.sortable, name: 'name' } : kind.sortable;
  const manner = {
    isAdmin: viewer.isAdmin,
    refusesUnknown: at.has('3.31'),
    findsParts: at.has('3.34'),
    strictBooleans: false,
    notYet: [...(at.has('3.22') ? [] : ['metadata']), 'consumes_quota', ...(at.has('3.31') ? [] : ['availability_zone'])],
    withCount: at.has('3.45'),
  };
  const asked = readQuery(call.query, { ...kind, sortable }, { ...manner, notYet: [...manner.notYet, 'availability_zone'] });
  const { marker, allTenants, withCount, ...listing } = asked;
  const zoned = at.has('3.31') ? call.query.last('availability_zone') : undefined;
  const none = quotaFree(call) || (zoned !== undefined && zoned !== 'nova');
  const scope = none ? [{ column: 'id', operator: 'never' as const, value: null }] : [];
  const projectId = allTenants ? undefined : (viewer.projectId ?? '');
  const after = marker === undefined ? undefined : snapshotPlace(await snapshotFor(db, viewer, marker));
  const filters = { ...listing, conditions: [...listing.conditions, ...scope], projectId };
  const snapshots = await listSnapshots(db, { ...filters, after });
  const count = withCount ? { count: (await countSnapshots(db, filters)).count } : {};
  return ok({ snapshots: snapshots.map(view), ...nextLink(call, collection, 'snapshots_links', snapshots), ...count });
}

const snapshotOf = (call: VolumeCall): Promise<Snapshot> => snapshotFor(call.db, viewerOf(call), call.params['snapshot_id']!);

/** GET /v3/snapshots/{snapshot_id} */
export async function show(call: VolumeCall): Promise<Reply> {
  const snapshot = await snapshotOf(call);
  allow(call, 'volume:get_snapshot', snapshot.projectId);
  return ok({ snapshot: snapshotFull(call, snapshot) });
}

/** POST /v3/snapshots */
export async function create(call: VolumeCall): Promise<Reply> {
  await takeQuotaTurn(call.db);
  const fields = bodyOf(call, 'snapshot');
  const force = truth(fields['force'] ?? false);
  const mayBeInUse = call.at.has('3.66');
  const volume = await volumeFor(call.db, viewerOf(call), String(fields['volume_id']));
  if (mayBeInUse && fields['force'] !== undefined && !force)
    throw badRequest(
      "Since microversion 3.66 the 'force' flag is invalid for this request.  For backward compatability, however, when the 'force' flag is passed with a value evaluating to True, it is silently ignored.",
    );
  allow(call, 'volume:create_snapshot', volume.projectId);
  const request = {
    name: trimmed(fields, 'name', 'display_name'),
    description: trimmed(fields, 'description'),
    metadata: fields['metadata'] as Metadata | null | undefined,
    inUse: force || mayBeInUse,
  };
  const snapshot = await createSnapshot(call.db, makerOf(call), volume, request, call.now);
  return accepted({ snapshot: snapshotDetail(call, snapshot) });
}

/** PUT /v3/snapshots/{snapshot_id} */
export async function update(call: VolumeCall): Promise<Reply> {
  const snapshot = await snapshotOf(call);
  allow(call, 'volume:update_snapshot', snapshot.projectId);
  const fields = bodyOf(call, 'snapshot');
  const name = trimmed(fields, 'name', 'display_name');
  const description = trimmed(fields, 'description', 'display_description');
  const change = { ...(name === undefined ? {} : { name }), ...(description === undefined ? {} : { description }) };
  return ok({ snapshot: snapshotDetail(call, await updateSnapshot(call.db, snapshot, change, call.now)) });
}

/** DELETE /v3/snapshots/{snapshot_id} */
export async function remove(call: VolumeCall): Promise<Reply> {
  const snapshot = await snapshotOf(call);
  allow(call, 'volume:delete_snapshot', snapshot.projectId);
  await removeSnapshot(call.db, snapshot, false, call.now);
  return reply(202);
}

const statuses = [
  'error',
  'available',
  'creating',
  'deleting',
  'deleted',
  'updating',
  'error_deleting',
  'unmanaging',
  'backing-up',
  'restoring',
];

/** The names that the body of an action may have. */
export const actionNames: readonly string[] = ['os-reset_status', 'os-force_delete'];

/** POST /v3/snapshots/{snapshot_id}/action */
export async function act(call: VolumeCall): Promise<Reply> {
  const [name] = Object.keys(call.body as Fields);
  const snapshot = await snapshotOf(call);
  if (name === 'os-force_delete') {
    allow(call, 'volume_extension:snapshot_admin_actions:force_delete', snapshot.projectId);
    await removeSnapshot(call.db, snapshot, true, call.now);
    return reply(202);
  }
  const status = String(bodyOf(call, name!)['status']).toLowerCase();
  if (!statuses.includes(status))
    throw badRequest(
      `Snapshot status: ${status} is invalid, valid statuses are: (${statuses.map((one) => `'${one}'`).join(', ')}).`,
    );
  allow(call, 'volume_extension:snapshot_admin_actions:reset_status', snapshot.projectId);
  await updateSnapshot(call.db, snapshot, { status }, call.now);
  return reply(202);
}
