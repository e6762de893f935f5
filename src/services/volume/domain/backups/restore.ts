// Restores backups, to a new volume or to an existing one. Upstream: restore in cinder/backup/api.py
// and cinder/backup/driver.py, which restores the names and metadata of the volume.
import type { Context } from '../../../../kernel/model.ts';
import type { Backup, Volume } from '../../model.ts';
import { updateBackup } from '../../store/backups.ts';
import { findVolume, updateVolume } from '../../store/volumes.ts';
import { invalidBackup, invalidVolume } from '../errors.ts';
import { createReadyVolume, volumeFor } from '../volumes/volumes.ts';
import { checkServed, scheduleForBackup } from './backups.ts';

/** The name of a new volume whose request has none. The restore replaces it. */
const namePrefix = 'restore_backup_';

/**
 * Begins to restore a backup, to a new volume if the request names none.
 * @returns the volume @throws 400, 403, 404, 413
 */
export async function restoreBackup(
  context: Context,
  backup: Backup,
  request: { readonly volumeId: string | null; readonly name: string | null },
): Promise<Volume> {
  const { db, now } = context;
  if (backup.status !== 'available') throw invalidBackup('Backup status must be available');
  const volume = request.volumeId
    ? await volumeFor(context, request.volumeId)
    : await createReadyVolume(context, {
        size: backup.size,
        name: request.name ?? namePrefix + backup.id,
        description: 'auto-created_from_restore_from_backup',
      });
  if (volume.status !== 'available')
    throw invalidVolume('Volume to be restored to must be available');
  if (backup.size > volume.size)
    throw invalidVolume(
      `volume size ${volume.size} is too small to restore backup of size ${backup.size}.`,
    );
  await checkServed(context);
  await updateBackup(db, backup, { status: 'restoring', restoreVolumeId: volume.id }, now);
  const restoring = await updateVolume(db, volume, { status: 'restoring-backup' }, now);
  await scheduleForBackup(context, 'volume.backup_restored', backup, { volumeId: volume.id });
  return restoring;
}

/** Ends a restore. A volume whose status was set meanwhile ends in error. */
export async function endRestore(
  { db, now }: Context,
  backup: Backup,
  volumeId: string,
): Promise<void> {
  const volume = await findVolume(db, volumeId);
  if (volume?.status === 'restoring-backup')
    await updateVolume(db, volume, { status: 'available', ...restoredFields(volume, backup) }, now);
  else if (volume) await updateVolume(db, volume, { status: 'error_restoring' }, now);
  if (backup.status === 'restoring') await updateBackup(db, backup, { status: 'available' }, now);
}

/** What a volume gets from a backup, besides the data. */
export function restoredFields(volume: Volume, { id, volumeId, content }: Backup): Partial<Volume> {
  const isNameless = !volume.name || volume.name.startsWith(namePrefix);
  const { name, description, imageMetadata } = content;
  const previous = volume.metadata['src_backup_id'];
  const isForeign = volumeId !== volume.id || (previous !== undefined && previous !== id);
  return {
    ...(name && isNameless ? { name, description } : {}),
    metadata: {
      ...volume.metadata,
      ...content.metadata,
      ...(isForeign ? { src_backup_id: id } : {}),
    },
    ...(Object.keys(imageMetadata).length ? { imageMetadata, bootable: true } : {}),
  };
}
