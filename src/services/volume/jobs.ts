// The jobs of Volume. They complete the creation, deletion and other actions of volumes, snapshots,
// groups and backups.
import { schedule } from '../../kernel/jobs/queue.ts';
import type { Job, Jobs, Context } from '../../kernel/model.ts';
import { createMessage } from './domain/messages.ts';
import type { Volume } from './model.ts';
import { endMigration } from './domain/volumes/migrate.ts';
import { endRetype, type RetypePayload } from './domain/volumes/retype.ts';
import { canExtend, poolFor, poolForAll } from './domain/backend/scheduling.ts';
import { reimagedMetadata } from './domain/volumes/images.ts';
import { reportToNova } from './domain/volumes/server-events.ts';
import { endCreation, endDeletion } from './domain/backups/backups.ts';
import {
  endManaging,
  endManagingSnapshot,
  endUnmanaging,
  endUnmanagingSnapshot,
  type ReferencePayload,
} from './domain/backend/manage.ts';
import { endImport, type ImportPayload } from './domain/backups/records.ts';
import { endRestore, restoredFields } from './domain/backups/restore.ts';
import { endChange, type MembersPayload } from './domain/groups/changes.ts';
import { endCreationFromSource } from './domain/groups/from-source.ts';
import { findBackup } from './store/backups.ts';
import {
  deleteGroupSnapshot,
  findGroupSnapshot,
  updateGroupSnapshot,
} from './store/group-snapshots.ts';
import { deleteGroup, findGroup, updateGroup } from './store/groups.ts';
import {
  deleteSnapshot,
  findSnapshot,
  snapshotsOf,
  snapshotsOfGroup,
  updateSnapshot,
} from './store/snapshots.ts';
import { findType } from './store/types.ts';
import { deleteVolume, findVolume, updateVolume, volumesOfGroup } from './store/volumes.ts';

/**
 * Changes the volume of a job, unless it no longer has the status that the action set. An
 * administrator may have reset the status.
 */
async function endAction(
  { db, now }: Context,
  { subject }: Job,
  status: string,
  change: (volume: Volume) => Partial<Volume>,
): Promise<void> {
  const volume = await findVolume(db, subject);
  if (volume?.status === status) await updateVolume(db, volume, change(volume), now);
}

/**
 * Notifies Compute of the new size of a volume, with a job for each server that it is attached to,
 * or a Nova outside of this cloud. Upstream: extend_volume in cinder/volume/manager.py.
 */
async function notifyServers(context: Context, volume: Volume, requestId: string): Promise<void> {
  const { db, now } = context;
  for (const { instanceUuid } of volume.attachments)
    if (instanceUuid !== null)
      await schedule(db, { dueAt: now, kind: 'compute.volume_extended', subject: instanceUuid });
  await reportToNova(context, 'volume-extended', volume, requestId);
}

/** The payload of the job that makes a volume available. */
interface CreationPayload {
  readonly bootable: boolean;
  readonly requestId?: string;
  /** The backup that the volume is created from. */
  readonly backupId?: string;
}

export const volumeJobs: Jobs = {
  async 'volume.created'(context, { subject, payload }) {
    const { db, now } = context;
    const { bootable, requestId = '', backupId } = payload as CreationPayload;
    const volume = await findVolume(db, subject);
    if (volume?.status !== 'creating') return;
    const host = await poolFor(context, (await findType(db, { id: volume.typeId }))!, volume.size);
    if (host !== undefined) {
      const backup = backupId === undefined ? undefined : await findBackup(db, backupId);
      const restored = backup ? restoredFields(volume, backup) : {};
      const isLost = backupId !== undefined && !backup;
      const status = isLost ? 'error' : 'available';
      await updateVolume(db, volume, { status, host, bootable, ...restored }, now);
      return;
    }
    await updateVolume(db, volume, { status: 'error' }, now);
    await createMessage(context, {
      action: 'schedule',
      detail: 'noBackend',
      projectId: volume.projectId,
      resourceId: volume.id,
      requestId,
    });
  },

  async 'volume.retyped'(context, { subject, payload }) {
    const volume = await findVolume(context.db, subject);
    if (volume?.status === 'retyping') await endRetype(context, volume, payload as RetypePayload);
  },

  async 'volume.migrated'(context, { subject, payload }) {
    const volume = await findVolume(context.db, subject);
    if (volume?.migrationStatus === 'starting')
      await endMigration(context, volume, payload as { host: string });
  },

  async 'volume.extended'(context, job) {
    const { db, now } = context;
    const { size, requestId = '' } = job.payload as { size: number; requestId?: string };
    const volume = await findVolume(db, job.subject);
    if (volume?.status !== 'extending') return;
    const after = { status: volume.previousStatus ?? 'available', previousStatus: null };
    if (await canExtend(context, volume.host, size - volume.size)) {
      await updateVolume(db, volume, { ...after, size }, now);
      return notifyServers(context, volume, requestId);
    }
    await updateVolume(db, volume, after, now);
    await createMessage(context, {
      action: 'extend',
      detail: 'noBackend',
      projectId: volume.projectId,
      resourceId: volume.id,
      requestId,
    });
  },

  async 'volume.reimaged'(context, job) {
    const { imageId, requestId = '' } = job.payload as { imageId: string; requestId?: string };
    const imageMetadata = await reimagedMetadata(context, imageId);
    await endAction(context, job, 'downloading', ({ previousStatus }) =>
      imageMetadata
        ? {
            status: previousStatus ?? 'available',
            previousStatus: null,
            imageMetadata,
            bootable: true,
          }
        : { status: 'error', previousStatus: null },
    );
    const volume = await findVolume(context.db, job.subject);
    // Compute waits for a reserved volume. Upstream: reimage in cinder/volume/manager.py.
    if (volume?.status === 'reserved')
      await reportToNova(context, 'volume-reimaged', volume, requestId);
  },

  'volume.uploaded': (context, job) =>
    endAction(context, job, 'uploading', ({ previousStatus }) => ({
      status: previousStatus ?? 'available',
      previousStatus: null,
    })),

  async 'volume.reverted'(context, job) {
    const { db, now } = context;
    await endAction(context, job, 'reverting', () => ({ status: 'available' }));
    const snapshot = await findSnapshot(db, (job.payload as { snapshotId: string }).snapshotId);
    if (snapshot?.status === 'restoring')
      await updateSnapshot(db, snapshot, { status: 'available' }, now);
  },

  async 'volume.deleted'({ db }, { subject }) {
    const volume = await findVolume(db, subject);
    if (volume?.status !== 'deleting' && volume?.status !== 'error_managing_deleting') return;
    for (const snapshot of await snapshotsOf(db, subject)) await deleteSnapshot(db, snapshot);
    await deleteVolume(db, volume);
  },

  async 'volume.snapshot_created'({ db, now }, { subject }) {
    const snapshot = await findSnapshot(db, subject);
    if (snapshot?.status === 'creating')
      await updateSnapshot(db, snapshot, { status: 'available', progress: '100%' }, now);
  },

  async 'volume.snapshot_deleted'({ db }, { subject }) {
    const snapshot = await findSnapshot(db, subject);
    if (snapshot?.status === 'deleting') await deleteSnapshot(db, snapshot);
  },

  async 'volume.managed'(context, { subject, payload }) {
    const volume = await findVolume(context.db, subject);
    if (volume?.status === 'managing')
      await endManaging(context, volume, payload as ReferencePayload);
  },

  async 'volume.unmanaged'(context, { subject, payload }) {
    const volume = await findVolume(context.db, subject);
    if (volume?.status !== 'unmanaging' && volume?.status !== 'error_managing_deleting') return;
    await endUnmanaging(context, volume, payload as { isAtBackend: boolean });
  },

  async 'volume.snapshot_managed'(context, { subject, payload }) {
    const snapshot = await findSnapshot(context.db, subject);
    if (snapshot?.status === 'creating')
      await endManagingSnapshot(context, snapshot, payload as ReferencePayload);
  },

  async 'volume.snapshot_unmanaged'(context, { subject, payload }) {
    const snapshot = await findSnapshot(context.db, subject);
    if (snapshot?.status === 'unmanaging')
      await endUnmanagingSnapshot(context, snapshot, payload as { isAtBackend: boolean });
  },

  async 'volume.group_created'(context, { subject }) {
    const { db, now } = context;
    const group = await findGroup(db, subject);
    if (group?.status !== 'creating') return;
    const host = await poolForAll(context, group.volumeTypes);
    const fields =
      host === undefined
        ? ({ status: 'error' } as const)
        : ({ status: 'available', host } as const);
    await updateGroup(db, group, fields, now);
  },

  async 'volume.group_created_from_source'(context, { subject }) {
    const group = await findGroup(context.db, subject);
    if (group?.status === 'creating') await endCreationFromSource(context, group);
  },

  async 'volume.group_updated'(context, { subject, payload }) {
    const group = await findGroup(context.db, subject);
    if (group?.status === 'updating') await endChange(context, group, payload as MembersPayload);
  },

  async 'volume.group_deleted'({ db }, { subject }) {
    const group = await findGroup(db, subject);
    if (group?.status !== 'deleting') return;
    for (const volume of await volumesOfGroup(db, subject)) await deleteVolume(db, volume);
    await deleteGroup(db, group);
  },

  async 'volume.group_replication_changed'({ db, now }, { subject }) {
    const group = await findGroup(db, subject);
    if (group?.replicationStatus === 'enabling' || group?.replicationStatus === 'disabling')
      await updateGroup(db, group, { status: 'error', replicationStatus: 'error' }, now);
  },

  async 'volume.group_snapshot_created'({ db, now }, { subject }) {
    const groupSnapshot = await findGroupSnapshot(db, subject);
    if (groupSnapshot?.status !== 'creating') return;
    for (const snapshot of await snapshotsOfGroup(db, subject))
      await updateSnapshot(db, snapshot, { status: 'available', progress: '100%' }, now);
    await updateGroupSnapshot(db, groupSnapshot, { status: 'available' }, now);
  },

  async 'volume.group_snapshot_deleted'({ db }, { subject }) {
    const groupSnapshot = await findGroupSnapshot(db, subject);
    if (groupSnapshot?.status !== 'deleting') return;
    for (const snapshot of await snapshotsOfGroup(db, subject)) await deleteSnapshot(db, snapshot);
    await deleteGroupSnapshot(db, groupSnapshot);
  },

  async 'volume.backup_created'(context, { subject, payload }) {
    const backup = await findBackup(context.db, subject);
    if (backup?.status === 'creating')
      await endCreation(context, backup, payload as { requestId?: string });
  },

  async 'volume.backup_restored'(context, { subject, payload }) {
    const backup = await findBackup(context.db, subject);
    const { volumeId } = payload as { volumeId: string };
    if (backup) await endRestore(context, backup, volumeId);
  },

  async 'volume.backup_imported'(context, { subject, payload }) {
    const backup = await findBackup(context.db, subject);
    if (backup?.status === 'creating') await endImport(context, backup, payload as ImportPayload);
  },

  async 'volume.backup_deleted'(context, { subject }) {
    const backup = await findBackup(context.db, subject);
    if (backup) await endDeletion(context, backup);
  },
};
