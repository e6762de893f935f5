// What Compute does with the volumes of servers, by the same rules as through the API.
import { badRequest } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { elevated } from '../../../../kernel/context.ts';
import { findImage } from '../../clients/image.ts';
import { attachmentsOfServer as selectOfServer, findAttachment } from '../../store/attachments.ts';
import { findVolume } from '../../store/volumes.ts';
import {
  completeAttachment,
  connectAttachment,
  createAttachment,
  removeAttachment,
} from '../attachments.ts';
import type { Attachment, Volume } from '../../model.ts';
import { reimageVolume } from './images.ts';
import { removeVolume } from './volumes.ts';

/** The server that a volume is attached to, its host, and the device there. */
export interface Place {
  readonly instanceUuid: string;
  readonly host: string;
  readonly mountpoint: string;
}

/**
 * Attaches a volume to a server: the attachment is reserved, connected and completed.
 * @throws 400, 409
 */
export async function attachToServer(
  context: Context,
  volume: Volume,
  place: Place,
): Promise<Attachment> {
  const { instanceUuid, host, mountpoint } = place;
  const reserved = await createAttachment(context, volume, { instanceUuid, byCompute: true });
  const connected = await connectAttachment(context, reserved, {
    host,
    mountpoint,
    mode: reserved.mode ?? 'rw',
  });
  await completeAttachment(context, connected);
  return (await findAttachment(context.db, connected.id))!;
}

/** Deletes a server's attachment, if it exists. */
export async function detachFromServer(context: Context, attachmentId: string): Promise<void> {
  const attachment = await findAttachment(context.db, attachmentId);
  if (attachment) await removeAttachment(context, attachment);
}

/** Writes an image over a server's volume, whoever may see the image. @throws 400, 409 */
export async function reimageForServer(
  context: Context,
  volumeId: string,
  imageId: string,
): Promise<void> {
  const volume = await findVolume(context.db, volumeId);
  const image = await findImage(elevated(context), imageId);
  if (!volume || !image)
    throw badRequest(`Failed to reimage volume ${volumeId} with image ${imageId}`);
  await reimageVolume(context, volume, image);
}

/**
 * Begins to delete the volume of a deleted server, with its snapshots; a volume that is not
 * available stays.
 */
export async function deleteWithServer(context: Context, volumeId: string): Promise<void> {
  const volume = await findVolume(context.db, volumeId);
  if (volume?.attachStatus === 'detached' && volume.status === 'available')
    await removeVolume(context, volume, { cascade: true });
}

/** The attachments of a server, oldest first. */
export const attachmentsOfServer = ({ db }: Context, serverId: string): Promise<Attachment[]> =>
  selectOfServer(db, serverId);
