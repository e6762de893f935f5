// The rules of backups: list, create, change, delete, and set the status. Upstream:
// cinder/backup/api.py and cinder/backup/manager.py, with the driver for a POSIX file system.
import type { Micros } from '../../../../kernel/clock.ts';
import { badRequest, notFound, type ApiError } from '../../../../kernel/errors.ts';
import { newUuid } from '../../../../kernel/ids.ts';
import { schedule } from '../../../../kernel/jobs/queue.ts';
import type { Context } from '../../../../kernel/model.ts';
import {
  backupsOfVolume,
  countBackups,
  deleteBackup,
  findBackup,
  insertBackup,
  selectBackups,
  updateBackup,
  type BackupChange,
} from '../../store/backups.ts';
import type { ListRequest } from '../../store/lists.ts';
import { findSnapshot, updateSnapshot } from '../../store/snapshots.ts';
import { findVolume, updateVolume } from '../../store/volumes.ts';
import { backupService, isDisabled } from '../backend/services.ts';
import { invalidBackup, invalidSnapshot, invalidVolume, noBackup } from '../errors.ts';
import { pageFor } from '../lists.ts';
import { createMessage } from '../messages.ts';
import { reserveBackup } from '../quotas.ts';
import { isVisible, projectOf } from '../visibility.ts';
import {
  zone,
  type Backup,
  type BackupRow,
  type BackupStatus,
  type Metadata,
  type Snapshot,
  type Volume,
} from '../../model.ts';

/** The driver that every backup names as its service. */
export const driverName = 'cinder.backup.drivers.posix.PosixBackupDriver';

/** The bytes of a file of the driver. Upstream: backup_file_size in cinder/backup/drivers. */
const fileSize = 1_999_994_880;

/**
 * How long creating, restoring and deleting take. The job is due at once, so the next request finds
 * it done.
 */
const latency: Micros = 0;

/** Schedules the job that completes an action of a backup. */
export const scheduleForBackup = (
  { db, now, requestId }: Context,
  kind: string,
  { id }: { readonly id: string },
  payload: object = {},
): Promise<void> =>
  schedule(db, { dueAt: now + latency, kind, subject: id, payload: { requestId, ...payload } });

/** Returns a backup that the actor may see. @throws 404, also for a backup of another project */
export async function backupFor(context: Context, id: string): Promise<Backup> {
  const backup = await findBackup(context.db, id);
  if (!backup || !isVisible(context, backup)) throw noBackup(id);
  return backup;
}

/**
 * Lists the backups on the page that a client requests. `count` is the number on all pages, if the
 * request asks for it.
 * @throws 404 for an unknown marker
 */
export async function listBackups(
  context: Context,
  request: ListRequest<BackupRow>,
): Promise<{ backups: Backup[]; count: number | undefined }> {
  const findMarker = (marker: string): Promise<Backup> => backupFor(context, marker);
  const page = await pageFor(context, request, findMarker);
  return {
    backups: await selectBackups(context.db, page),
    count: request.withCount ? (await countBackups(context.db, page)).count : undefined,
  };
}

/** A backup to create. */
export interface BackupRequest {
  readonly name: string | null;
  readonly description: string | null;
  readonly container: string | null;
  readonly isIncremental: boolean;
  /** Whether the volume may be in use. */
  readonly force: boolean;
  readonly availabilityZone: string | null;
  readonly metadata: Metadata;
}

/**
 * Creates a backup of a volume, or of a snapshot of it, for the actor's project, and schedules the
 * job that makes it available.
 * @throws 400, 403, 413
 */
export async function createBackup(
  context: Context,
  volume: Volume,
  snapshot: Snapshot | undefined,
  request: BackupRequest,
): Promise<Backup> {
  const { db, now, actor } = context;
  const projectId = projectOf(context);
  checkSource(volume, snapshot, request);
  await reserveBackup(context, projectId, volume.size);
  const parent = request.isIncremental
    ? await parentFor(context, volume, projectId, snapshot)
    : undefined;
  if (snapshot) await updateSnapshot(db, snapshot, { status: 'backing-up' }, now);
  else await updateVolume(db, volume, { status: 'backing-up', previousStatus: volume.status }, now);
  const { name, description, imageMetadata } = volume;
  const backup: Backup = {
    id: newUuid(),
    projectId,
    userId: actor.userId,
    name: request.name,
    description: request.description,
    volumeId: volume.id,
    snapshotId: snapshot?.id ?? null,
    parentId: parent?.id ?? null,
    size: volume.size,
    status: 'creating',
    failReason: null,
    container: request.container,
    objectCount: 0,
    availabilityZone: request.availabilityZone,
    dataTimestamp: snapshot?.createdAt ?? now,
    content: { name, description, metadata: volume.metadata, imageMetadata },
    restoreVolumeId: null,
    revision: 0,
    createdAt: now,
    updatedAt: null,
    metadata: request.metadata,
    hasChildren: false,
  };
  await insertBackup(db, backup);
  await scheduleForBackup(context, 'volume.backup_created', backup);
  return backup;
}

/** Checks that a volume or snapshot can be backed up. @throws 400 */
function checkSource(
  volume: Volume,
  snapshot: Snapshot | undefined,
  { force }: Pick<BackupRequest, 'force'>,
): void {
  if (snapshot) {
    if (snapshot.volumeId !== volume.id)
      throw invalidVolume(
        `Volume ${volume.id} does not match with snapshot.volume_id ${snapshot.volumeId}.`,
      );
    if (snapshot.status !== 'available')
      throw invalidSnapshot(
        'Snapshot to be backed up must be available, but the current status is ' +
          `"${snapshot.status}".`,
      );
    return;
  }
  if (!['available', 'in-use'].includes(volume.status))
    throw invalidVolume(
      'Volume to be backed up must be available or in-use, but the current status is ' +
        `"${volume.status}".`,
    );
  if (volume.status === 'in-use' && !force)
    throw invalidVolume('Backing up an in-use volume must use the force flag.');
}

/**
 * Returns the backup that an incremental one builds on: of the project's available backups of the
 * volume, that with the latest data, and older than the snapshot if there is one.
 * @throws 400 if the project has no such backup
 */
async function parentFor(
  { db }: Context,
  volume: Volume,
  projectId: string,
  snapshot: Snapshot | undefined,
): Promise<BackupRow> {
  const candidates = (await backupsOfVolume(db, volume.id, projectId)).filter(
    ({ status, dataTimestamp }) =>
      status === 'available' && (!snapshot || (dataTimestamp ?? 0) < snapshot.createdAt),
  );
  const latest = latestData(candidates);
  if (!latest) throw invalidBackup('No backups available to do an incremental backup.');
  return latest;
}

/** The backup that has the latest data. */
export const latestData = (backups: readonly BackupRow[]): BackupRow | undefined =>
  backups.toSorted((one, other) => (other.dataTimestamp ?? 0) - (one.dataTimestamp ?? 0))[0];

/** Makes a new backup available, and gives its source the status back. */
export async function endCreation(
  context: Context,
  backup: Backup,
  { requestId }: { readonly requestId?: string },
): Promise<void> {
  const { db, now } = context;
  await releaseSource(context, backup);
  const isServed =
    [null, zone].includes(backup.availabilityZone) && !(await isDisabled(context, backupService));
  if (!isServed) {
    const failReason = 'Service not found for creating backup.';
    await updateBackup(db, backup, { status: 'error', failReason }, now);
    return createMessage(context, {
      action: 'createBackup',
      detail: 'noBackupService',
      projectId: backup.projectId,
      resourceType: 'VOLUME_BACKUP',
      resourceId: backup.id,
      requestId: requestId ?? '',
    });
  }
  const change: BackupChange = {
    status: 'available',
    availabilityZone: zone,
    container: backup.container ?? folderOf(backup),
    // The data of a volume never changes, so that an incremental backup has no files.
    objectCount: backup.parentId === null ? Math.ceil((backup.size * 1024 ** 3) / fileSize) : 0,
  };
  await updateBackup(db, backup, change, now);
}

/** The folder of a backup whose request names no container. */
const folderOf = ({ id }: Backup): string => `${id.slice(0, 2)}/${id.slice(2, 4)}/${id}`;

async function releaseSource(
  { db, now }: Context,
  { snapshotId, volumeId }: Backup,
): Promise<void> {
  if (snapshotId !== null) {
    const snapshot = await findSnapshot(db, snapshotId);
    if (snapshot?.status === 'backing-up')
      await updateSnapshot(db, snapshot, { status: 'available' }, now);
    return;
  }
  const volume = await findVolume(db, volumeId);
  if (volume?.status !== 'backing-up') return;
  const status = volume.previousStatus ?? 'available';
  await updateVolume(db, volume, { status, previousStatus: null }, now);
}

/** Changes the name, the description or the metadata of a backup. */
export const changeBackup = (
  { db, now }: Context,
  backup: Backup,
  change: Pick<BackupChange, 'name' | 'description' | 'metadata'>,
): Promise<Backup> => updateBackup(db, backup, change, now);

/** Begins to delete a backup, with `force` in any status. @throws 400, 404 */
export async function removeBackup(
  context: Context,
  backup: Backup,
  { force = false } = {},
): Promise<void> {
  const { db, now } = context;
  if (!force && !['available', 'error'].includes(backup.status))
    throw invalidBackup('Backup status must be available or error');
  if (backup.hasChildren) throw invalidBackup('Incremental backups exist for this backup.');
  await checkServed(context);
  await updateBackup(db, backup, { status: 'deleting' }, now);
  await scheduleForBackup(context, 'volume.backup_deleted', backup);
}

/** Deletes a backup whose deletion has begun. */
export async function endDeletion({ db }: Context, backup: Backup): Promise<void> {
  if (backup.status === 'deleting') await deleteBackup(db, backup);
}

/** @throws 404 if the backup service is disabled */
export async function checkServed(context: Context): Promise<void> {
  if (await isDisabled(context, backupService)) throw noService(backupService.binary);
}

const noService = (name: string): ApiError => notFound(`Service ${name} could not be found.`);

/** Sets the status of a backup, regardless of its current status. @throws 404 */
export async function resetBackupStatus(
  context: Context,
  backup: Backup,
  status: BackupStatus,
): Promise<void> {
  await checkServed(context);
  await updateBackup(context.db, backup, { status }, context.now);
}

const settableStatuses: readonly BackupStatus[] = ['available', 'error'];

/** Reads a status that an administrator can set, in any case. @throws 400 */
export function settableStatus(value: string): BackupStatus {
  const status = settableStatuses.find((one) => one === value.toLowerCase());
  if (status) return status;
  throw badRequest(
    `Backup status: ${value} is invalid, valid statuses are: ['available', 'error'].`,
  );
}
