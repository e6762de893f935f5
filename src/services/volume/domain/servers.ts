// What Compute does with the volumes of servers, by the same rules as through the API.
import { badRequest } from '../../../kernel/fault.ts';
import type { Work } from '../../../kernel/model.ts';
import { elevated } from '../../../kernel/work.ts';
import { findImage } from '../neighbours/image.ts';
import { attachmentsOfServer as selectOfServer, findAttachment } from '../store/attachments.ts';
import { findVolume } from '../store/volumes.ts';
import { completeAttachment, connectAttachment, createAttachment, removeAttachment } from './attachments.ts';
import type { Attachment, Volume } from './records.ts';
import { reimageVolume } from './volume-images.ts';
import { removeVolume } from './volumes.ts';

/** The server that a volume is attached to, its host, and the device there. */
export interface Place {
  readonly instanceUuid: string;
  readonly host: string;
  readonly mountpoint: string;
}

/** Attaches a volume to a server: the attachment is reserved, connected and completed. @throws 400, 409 */
export async function attachToServer(work: Work, volume: Volume, place: Place): Promise<Attachment> {
  const { instanceUuid, host, mountpoint } = place;
  const reserved = await createAttachment(work, volume, { instanceUuid, byCompute: true });
  const connected = await connectAttachment(work, reserved, { host, mountpoint, mode: reserved.mode ?? 'rw' });
  await completeAttachment(work, connected);
  return (await findAttachment(work.db, connected.id))!;
}

/** Deletes a server's attachment, if it exists. */
export async function detachFromServer(work: Work, attachmentId: string): Promise<void> {
  const attachment = await findAttachment(work.db, attachmentId);
  if (attachment) await removeAttachment(work, attachment);
}

/** Writes an image over a server's volume, whoever may see the image. @throws 400, 409 */
export async function reimageForServer(work: Work, volumeId: string, imageId: string): Promise<void> {
  const volume = await findVolume(work.db, volumeId);
  const image = await findImage(elevated(work), imageId);
  if (!volume || !image) throw badRequest(`Failed to reimage volume ${volumeId} with image ${imageId}`);
  await reimageVolume(work, volume, image);
}

/** Begins to delete the volume of a deleted server, with its snapshots; a volume that is not available stays. */
export async function deleteWithServer(work: Work, volumeId: string): Promise<void> {
  const volume = await findVolume(work.db, volumeId);
  if (volume?.attachStatus === 'detached' && volume.status === 'available') await removeVolume(work, volume, { cascade: true });
}

/** The attachments of a server, oldest first. */
export const attachmentsOfServer = ({ db }: Work, serverId: string): Promise<Attachment[]> => selectOfServer(db, serverId);
