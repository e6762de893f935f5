// The rules of snapshots: list, create, update, delete, and set the status. Upstream:
// cinder/volume/api.py.
import type { Micros } from '../../../kernel/clock.ts';
import { badRequest } from '../../../kernel/errors.ts';
import { newUuid } from '../../../kernel/ids.ts';
import { schedule } from '../../../kernel/jobs/queue.ts';
import type { Context } from '../../../kernel/model.ts';
import type { ListRequest } from '../store/lists.ts';
import {
  countSnapshots,
  findSnapshot,
  insertSnapshot,
  selectSnapshots,
  updateSnapshot,
} from '../store/snapshots.ts';
import { findVolume } from '../store/volumes.ts';
import { invalidSnapshot, invalidVolume, noSnapshot } from './errors.ts';
import { pageFor } from './lists.ts';
import { reserveQuota } from './quotas.ts';
import { volumeSettings } from './settings.ts';
import type {
  GroupSnapshot,
  Metadata,
  Snapshot,
  SnapshotRow,
  SnapshotStatus,
  Volume,
} from '../model.ts';
import { checkThawed } from './backend/services.ts';
import { isVisible, projectOf } from './visibility.ts';

/**
 * How long creating and deleting take. The job is due at once, so the next request finds it done.
 */
const latency: Micros = 0;

/**
 * Returns a snapshot that the actor may see.
 * @throws 404, also for a snapshot of another project
 */
export async function snapshotFor(context: Context, id: string): Promise<Snapshot> {
  const snapshot = await findSnapshot(context.db, id);
  if (!snapshot || !isVisible(context, snapshot)) throw noSnapshot(id);
  return snapshot;
}

/**
 * Lists the snapshots on the page that a client requests. `count` is the number on all pages, if
 * the request asks for it.
 * @throws 404 for an unknown marker
 */
export async function listSnapshots(
  context: Context,
  request: ListRequest<SnapshotRow>,
): Promise<{ snapshots: Snapshot[]; count: number | undefined }> {
  const findMarker = (marker: string): Promise<Snapshot> => snapshotFor(context, marker);
  const page = await pageFor(context, request, findMarker);
  const snapshots = await selectSnapshots(context.db, page);
  return {
    snapshots,
    count: request.withCount ? (await countSnapshots(context.db, page)).count : undefined,
  };
}

/** The job that completes a new snapshot. */
interface Completion {
  readonly kind: string;
  readonly payload?: object;
}

const creation: Completion = { kind: 'volume.snapshot_created' };

/** A snapshot to create. */
export interface SnapshotRequest {
  readonly name?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly metadata?: Metadata | null | undefined;
  /** Whether the volume may be in use. */
  readonly inUse: boolean;
}

/**
 * Creates a snapshot for the actor's project, and schedules the job that makes it available.
 * @throws 400, 403, 413
 */
export async function createSnapshot(
  context: Context,
  volume: Volume,
  request: SnapshotRequest,
  completion = creation,
): Promise<Snapshot> {
  const { db, now } = context;
  projectOf(context);
  await checkThawed(context, volume);
  const valid = request.inUse ? ['available', 'in-use'] : ['available'];
  if (!valid.includes(volume.status))
    throw invalidVolume(
      `Volume ${volume.id} status must be ${valid.join(', ')}, but current status is: ` +
        `${volume.status}.`,
    );
  const snapshot = await insertCreating(context, volume, request);
  await schedule(db, { dueAt: now + latency, subject: snapshot.id, ...completion });
  return snapshot;
}

/**
 * Creates a snapshot that stays in the status `creating`, until the group snapshot that it is a
 * part of is available.
 * @throws 400, 403, 413
 */
export async function createSnapshotOfGroup(
  context: Context,
  volume: Volume,
  { id, name, description }: GroupSnapshot,
): Promise<void> {
  if (volume.host === null)
    throw invalidVolume(
      'The snapshot cannot be created because volume has not been scheduled to any host.',
    );
  if (volume.status === 'maintenance')
    throw invalidVolume('The snapshot cannot be created when the volume is in maintenance mode.');
  if (volume.status === 'error')
    throw invalidVolume('The snapshot cannot be created when the volume is in error status.');
  await insertCreating(context, volume, { name, description }, id);
}

/** Inserts a snapshot in the status `creating`. @throws 403, 413 */
async function insertCreating(
  context: Context,
  volume: Volume,
  request: Omit<SnapshotRequest, 'inUse'>,
  groupSnapshotId: string | null = null,
): Promise<Snapshot> {
  const { db, now, actor } = context;
  const projectId = projectOf(context);
  await reserveQuota(context, {
    projectId,
    typeName: volume.typeName,
    snapshots: 1,
    gigabytes: (await volumeSettings.load(db)).noSnapshotGbQuota ? 0 : volume.size,
  });
  const snapshot: Snapshot = {
    id: newUuid(),
    volumeId: volume.id,
    projectId,
    userId: actor.userId,
    name: request.name ?? null,
    description: request.description ?? null,
    size: volume.size,
    status: 'creating',
    progress: '0%',
    typeId: volume.typeId,
    groupSnapshotId,
    revision: 0,
    createdAt: now,
    updatedAt: null,
    metadata: request.metadata ?? {},
  };
  await insertSnapshot(db, snapshot);
  return snapshot;
}

/** Changes the name or the description of a snapshot. */
export const changeSnapshot = (
  { db, now }: Context,
  snapshot: Snapshot,
  change: Partial<Pick<Snapshot, 'name' | 'description'>>,
): Promise<Snapshot> => updateSnapshot(db, snapshot, change, now);

/** Begins to delete a snapshot, with `force` in any status. @throws 400 */
export async function removeSnapshot(
  { db, now }: Context,
  snapshot: Snapshot,
  { force = false } = {},
): Promise<void> {
  const volume = await findVolume(db, snapshot.volumeId);
  if (volume) await checkThawed({ db }, volume);
  checkRemovable(snapshot, force);
  await updateSnapshot(db, snapshot, { status: 'deleting' }, now);
  await schedule(db, {
    dueAt: now + latency,
    kind: 'volume.snapshot_deleted',
    subject: snapshot.id,
  });
}

/** @throws 400 if a snapshot cannot be deleted */
function checkRemovable({ status, groupSnapshotId }: Snapshot, force: boolean): void {
  const isDeletable = force || ['available', 'error'].includes(status);
  if (!isDeletable || groupSnapshotId !== null)
    throw invalidSnapshot(
      `Snapshot ${force ? '' : 'status must be available or error and'} must not be part of a ` +
        'group.',
    );
}

/** Begins to remove a snapshot from Volume, but not from the backend. @throws 400 */
export async function unmanageSnapshot({ db, now }: Context, snapshot: Snapshot): Promise<void> {
  checkRemovable(snapshot, false);
  const isAtBackend = snapshot.status !== 'error';
  await updateSnapshot(db, snapshot, { status: 'unmanaging' }, now);
  await schedule(db, {
    dueAt: now + latency,
    kind: 'volume.snapshot_unmanaged',
    subject: snapshot.id,
    payload: { isAtBackend },
  });
}

/** Sets the status of a snapshot, regardless of its current status. */
export async function resetSnapshotStatus(
  { db, now }: Context,
  snapshot: Snapshot,
  status: SnapshotStatus,
): Promise<void> {
  await updateSnapshot(db, snapshot, { status }, now);
}

/** The statuses that a driver may set, by the current status of the snapshot. */
const driverStatuses: Readonly<Record<string, readonly SnapshotStatus[]>> = {
  creating: ['creating', 'available', 'error'],
  deleting: ['deleting', 'error_deleting'],
};

/** Sets the status of a snapshot and optionally its progress, as a driver does. @throws 400 */
export async function updateSnapshotStatus(
  { db, now }: Context,
  snapshot: Snapshot,
  status: string,
  progress: string | undefined,
): Promise<void> {
  const allowed = driverStatuses[snapshot.status];
  if (!allowed)
    throw badRequest(`Snapshot status ${snapshot.status} not allowed for update_snapshot_status`);
  const next = allowed.find((one) => one === status);
  if (!next)
    throw badRequest(
      `Provided snapshot status ${status} not allowed for snapshot with status ${snapshot.status}.`,
    );
  await updateSnapshot(db, snapshot, { status: next, ...(progress ? { progress } : {}) }, now);
}
