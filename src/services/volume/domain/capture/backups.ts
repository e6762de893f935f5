// Captures the backups of a cloud.
import { textOrNull, textsOf, timeOf } from '../../../../emulator/capture/fields.ts';
import type { Captured, CaptureSource, Json } from '../../../../emulator/capture/model.ts';
import type { Context } from '../../../../kernel/model.ts';
import { backupStatuses, noContent, type Backup } from '../../model.ts';
import { insertBackup } from '../../store/backups.ts';
import { latestData } from '../backups/backups.ts';
import { minorOf } from './groups.ts';

/** Backups show their project to administrators from this microversion on: 3.18. */
const firstMinor = 18;

/** Captures backups, if the cloud is new enough to say whose they are. */
export async function captureBackups(
  { db, now }: Context,
  source: CaptureSource,
  version: string,
): Promise<Captured> {
  if (minorOf(version) < firstMinor) return {};
  const path = '/backups/detail?all_tenants=1&limit=1000&sort=created_at:asc';
  const listed = await source.list('volume', path, 'backups', version);
  const byVolume = new Map<unknown, Backup[]>();
  for (const one of listed) {
    const earlier = byVolume.get(one['volume_id']) ?? [];
    const backup = backupOf(one, earlier, now);
    await insertBackup(db, backup);
    earlier.push(backup);
    byVolume.set(one['volume_id'], earlier);
  }
  return { backups: listed.length };
}

/** What an incremental backup builds on if no earlier one is left. */
const unknownParent = '00000000-0000-0000-0000-000000000000';

/**
 * The record of a backup. No API shows what an incremental one builds on: the latest data of the
 * same volume before its own, as Cinder chooses it.
 * @param earlier the earlier backups of the volume
 */
function backupOf(one: Json, earlier: readonly Backup[], now: number): Backup {
  const createdAt = timeOf(one['created_at']) ?? now;
  const dataTimestamp = timeOf(one['data_timestamp']) ?? createdAt;
  const parent = latestData(earlier.filter((other) => (other.dataTimestamp ?? 0) <= dataTimestamp));
  const isIncremental = one['is_incremental'] === true;
  return {
    id: String(one['id']),
    projectId: String(one['os-backup-project-attr:project_id']),
    userId: String(one['user_id'] ?? ''),
    name: textOrNull(one['name']),
    description: textOrNull(one['description']),
    volumeId: String(one['volume_id']),
    snapshotId: textOrNull(one['snapshot_id']),
    parentId: isIncremental ? (parent?.id ?? unknownParent) : null,
    size: Number(one['size']),
    status: backupStatuses.find((status) => status === one['status']) ?? 'error',
    failReason: textOrNull(one['fail_reason']),
    container: textOrNull(one['container']),
    objectCount: Number(one['object_count'] ?? 0),
    availabilityZone: textOrNull(one['availability_zone']),
    dataTimestamp,
    // The records of the names and metadata of volumes are with the files of backups.
    content: noContent,
    restoreVolumeId: null,
    revision: 0,
    createdAt,
    updatedAt: timeOf(one['updated_at']),
    metadata: textsOf(one['metadata']),
    hasChildren: false,
  };
}
