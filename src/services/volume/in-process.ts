// What Compute asks of Volume without HTTP: the same rules, in the caller's transaction.
import type { Micros } from '../../kernel/clock.ts';
import { badRequest } from '../../kernel/fault.ts';
import { visibleImage } from '../image/index.ts';
import { completeAttachment, connectAttachment, createAttachment, removeAttachment } from './domain/attachments.ts';
import type { Attachment, Volume } from './domain/records.ts';
import { reimageVolume, removeVolume } from './domain/volumes.ts';
import { findAttachment } from './store/attachments.ts';
import { findVolume } from './store/volumes.ts';
import type { Db } from '../../kernel/db/database.ts';

/** Where a server has a volume. */
export interface Place {
  readonly instanceUuid: string;
  readonly host: string;
  readonly mountpoint: string;
}

/** Attaches a volume to a server, from reserving it to its being in use. @throws 400, 409 */
export async function attachToServer(
  db: Db,
  volume: Volume,
  { instanceUuid, host, mountpoint }: Place,
  now: Micros,
): Promise<Attachment> {
  const reserved = await createAttachment(db, volume, { instanceUuid, byCompute: true }, now);
  const connected = await connectAttachment(db, reserved, { host, mountpoint, mode: reserved.mode ?? 'rw' }, now);
  await completeAttachment(db, connected, now);
  return (await findAttachment(db, connected.id))!;
}

/** Takes a server's attachment away, where it is still there. */
export async function detachFromServer(db: Db, attachmentId: string, now: Micros): Promise<void> {
  const attachment = await findAttachment(db, attachmentId);
  if (attachment) await removeAttachment(db, attachment, now);
}

/** Writes another image over a server's volume. @throws 400, 409 */
export async function reimageForServer(db: Db, volumeId: string, imageId: string, now: Micros): Promise<void> {
  const volume = await findVolume(db, volumeId);
  const image = await visibleImage(db, { projectId: undefined, isAdmin: true }, imageId);
  if (!volume || !image) throw badRequest(`Failed to reimage volume ${volumeId} with image ${imageId}`);
  await reimageVolume(db, volume, image, now);
}

/** Begins to delete a volume that went with its server; one that has snapshots, or is in use elsewhere, stays. */
export async function deleteWithServer(db: Db, volumeId: string, now: Micros): Promise<void> {
  const volume = await findVolume(db, volumeId);
  if (volume?.attachStatus === 'detached' && volume.status === 'available')
    await removeVolume(db, volume, { cascade: true }, now);
}
