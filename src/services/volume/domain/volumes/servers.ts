// The operations of Compute on the volumes of servers. They follow the same rules as the API.
import { badRequest } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { elevated } from '../../../../kernel/context.ts';
import { findImage } from '../../clients/image.ts';
import {
  attachmentsOfServer as selectAttachmentsOfServer,
  findAttachment,
} from '../../store/attachments.ts';
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

/** The server to attach a volume to, its host, and the name of the device. */
export interface AttachmentTarget {
  readonly instanceUuid: string;
  readonly host: string;
  readonly mountpoint: string;
}

/**
 * Attaches a volume to a server: reserves, connects and completes an attachment.
 * @throws 400, 409
 */
export async function attachToServer(
  context: Context,
  volume: Volume,
  target: AttachmentTarget,
): Promise<Attachment> {
  const { instanceUuid, host, mountpoint } = target;
  const reserved = await createAttachment(context, volume, { instanceUuid, byCompute: true });
  const initiator = `iqn.1993-08.org.debian:01:${host}`;
  await connectAttachment(context, reserved, { host, initiator, mountpoint });
  const connected = (await findAttachment(context.db, reserved.id))!;
  await completeAttachment(context, connected);
  return { ...connected, status: 'attached' };
}

/** Deletes a server's attachment, if it exists. */
export async function detachFromServer(context: Context, attachmentId: string): Promise<void> {
  const attachment = await findAttachment(context.db, attachmentId);
  if (attachment) await removeAttachment(context, attachment);
}

/**
 * Overwrites the volume of a server with any image, even one of another project.
 * @throws 400, 409
 */
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
 * Begins to delete the volume of a deleted server, with its snapshots. It does nothing if the
 * volume is not available.
 */
export async function deleteWithServer(context: Context, volumeId: string): Promise<void> {
  const volume = await findVolume(context.db, volumeId);
  if (volume?.attachStatus === 'detached' && volume.status === 'available')
    await removeVolume(context, volume, { cascade: true });
}

/** Lists the attachments of a server, oldest first. */
export const attachmentsOfServer = ({ db }: Context, serverId: string): Promise<Attachment[]> =>
  selectAttachmentsOfServer(db, serverId);
