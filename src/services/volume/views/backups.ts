// Backups in replies, at the version of the request.
import type { VolumeCall } from '../call.ts';
import type { Backup, Volume } from '../model.ts';
import { may } from '../policy.ts';
import { linksOf } from './links.ts';
import { timeOrNull, timeView } from './times.ts';

export const backupSummary = (call: VolumeCall, { id, name }: Backup): object => ({
  id,
  name,
  links: linksOf(call, 'backups', id),
});

export function backupDetail(call: VolumeCall, backup: Backup): object {
  const { version } = call;
  return {
    id: backup.id,
    status: backup.status,
    size: backup.size,
    object_count: backup.objectCount,
    availability_zone: backup.availabilityZone,
    container: backup.container,
    created_at: timeView(backup.createdAt),
    updated_at: timeOrNull(backup.updatedAt),
    name: backup.name,
    description: backup.description,
    fail_reason: backup.failReason,
    volume_id: backup.volumeId,
    links: linksOf(call, 'backups', backup.id),
    is_incremental: backup.parentId !== null,
    has_dependent_backups: backup.hasChildren,
    snapshot_id: backup.snapshotId,
    data_timestamp: timeOrNull(backup.dataTimestamp),
    ...version.since('3.43', { metadata: backup.metadata }),
    ...(may(call, 'backup:backup_project_attribute', backup.projectId)
      ? {
          ...version.since('3.18', { 'os-backup-project-attr:project_id': backup.projectId }),
          ...version.since('3.56', { user_id: backup.userId }),
        }
      : {}),
  };
}

/** The reply to the restore of a backup to a volume. */
export const restoreView = (backup: Backup, volume: Volume): object => ({
  backup_id: backup.id,
  volume_id: volume.id,
  volume_name: volume.name,
});
