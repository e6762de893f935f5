// Snapshots: list, show, create, update, delete, and actions.
import { accepted, ok, reply } from '../../../kernel/http/reply.ts';
import { badRequest } from '../../../kernel/fault.ts';
import { readQuery, type Kind } from '../domain/list-query.ts';
import { takeQuotaTurn } from '../domain/quotas.ts';
import type { Metadata, Snapshot } from '../domain/records.ts';
import { createSnapshot, removeSnapshot } from '../domain/snapshots.ts';
import { snapshotFor, volumeFor } from '../domain/volumes.ts';
import { countSnapshots, listSnapshots, snapshotPlace, updateSnapshot } from '../store/snapshots.ts';
import { nextLink } from '../views/links.ts';
import { snapshotDetail, snapshotFull, snapshotSummary } from '../views/snapshots.ts';
import { allow, bodyOf, makerOf, trimmed, truth, viewerOf, type Fields } from './requests.ts';
import { quotaFree } from './volumes.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { VolumeCall } from '../call.ts';

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

/** What a driver may make of a snapshot while it works on it. */
const transitions: Readonly<Record<string, readonly string[]>> = {
  creating: ['creating', 'available', 'error'],
  deleting: ['deleting', 'error_deleting'],
};

type Action = (call: VolumeCall, snapshot: Snapshot, fields: Fields) => Promise<unknown>;

const actions: Readonly<Record<string, Action>> = {
  async 'os-reset_status'(call, snapshot, fields) {
    const status = String(fields['status']).toLowerCase();
    if (!statuses.includes(status))
      throw badRequest(
        `Snapshot status: ${status} is invalid, valid statuses are: (${statuses.map((one) => `'${one}'`).join(', ')}).`,
      );
    allow(call, 'volume_extension:snapshot_admin_actions:reset_status', snapshot.projectId);
    await updateSnapshot(call.db, snapshot, { status }, call.now);
  },

  async 'os-force_delete'(call, snapshot) {
    allow(call, 'volume_extension:snapshot_admin_actions:force_delete', snapshot.projectId);
    await removeSnapshot(call.db, snapshot, true, call.now);
  },

  async 'os-update_snapshot_status'(call, snapshot, fields) {
    const status = fields['status'] as string;
    const progress = progressOf(fields['progress']);
    allow(call, 'snapshot_extension:snapshot_actions:update_snapshot_status', snapshot.projectId);
    const allowed = transitions[snapshot.status];
    if (!allowed) throw badRequest(`Snapshot status ${snapshot.status} not allowed for update_snapshot_status`);
    if (!allowed.includes(status))
      throw badRequest(`Provided snapshot status ${status} not allowed for snapshot with status ${snapshot.status}.`);
    await updateSnapshot(call.db, snapshot, { status, ...(progress ? { progress } : {}) }, call.now);
  },
};

/** @throws 400 for what is no percentage */
function progressOf(value: unknown): string | undefined {
  if (!value) return undefined;
  const [, digits] = /^\s*([+-]?\d+)\s*.$/s.exec(String(value)) ?? [];
  if (digits === undefined) throw badRequest('Invalid input received: progress must be an integer percentage');
  if (Number(digits) < 0 || Number(digits) > 100 || !String(value).endsWith('%'))
    throw badRequest('Invalid input received: progress must be an integer percentage between 0 and 100');
  return String(value);
}

/** The names that the body of an action may have. */
export const actionNames: readonly string[] = Object.keys(actions);

/** POST /v3/snapshots/{snapshot_id}/action */
export async function act(call: VolumeCall): Promise<Reply> {
  const [name] = Object.keys(call.body as Fields);
  await actions[name!]!(call, await snapshotOf(call), bodyOf(call, name!));
  return reply(202);
}
