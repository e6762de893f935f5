// The rules for volumes and images: finding the image of a new volume, reimaging a volume, its
// image metadata, and uploading it to a new image.
import { badRequest, conflict, notFound } from '../../../../kernel/errors.ts';
import { isUuidLike } from '../../../../kernel/ids.ts';
import { schedule } from '../../../../kernel/jobs/queue.ts';
import type { Context } from '../../../../kernel/model.ts';
import { elevated } from '../../../../kernel/context.ts';
import {
  createBlankImage,
  findImage,
  findImagesNamed,
  type Image,
  type NewImage,
} from '../../clients/image.ts';
import { findSnapshot } from '../../store/snapshots.ts';
import { updateVolume } from '../../store/volumes.ts';
import { invalidVolume } from '../errors.ts';
import { createMessage } from '../messages.ts';
import type { Metadata, Volume } from '../../model.ts';
import { checkImage, imageMetadataFrom } from './sources.ts';

/** Returns the id of an image, which a reference names by id, name or URL. @throws 400, 409 */
export async function imageIdFor(context: Context, reference: string): Promise<string> {
  const id = reference.split('/').at(-1)!;
  const image = isUuidLike(id) ? await findImage(context, id) : undefined;
  if (image) return image.id;
  const [first, second] = await findImagesNamed(context, reference);
  if (second)
    throw conflict(`Multiple matches found for '${reference}', use an ID to be more specific.`);
  if (!first) throw badRequest('Invalid image identifier or unable to access requested image.');
  return first.id;
}

/**
 * Overwrites a volume with an image. The volume may be attached to one server. Upstream: reimage in
 * cinder/volume/api.py.
 * @throws 400, 409
 */
export async function reimageVolume(context: Context, volume: Volume, image: Image): Promise<void> {
  if (volume.attachments.length > 1)
    throw conflict('Cannot re-image a volume which is attached to more than one server.');
  checkImage(image, volume.size);
  const imageMetadata = await imageMetadataFrom(context, { image });
  await updateVolume(context.db, volume, { imageMetadata, bootable: true }, context.now);
}

/**
 * Begins to overwrite a volume with an image. `allowReserved` permits a reserved volume.
 * @throws 400, 404, 409
 */
export async function startReimage(
  context: Context,
  volume: Volume,
  imageId: string,
  allowReserved: boolean,
): Promise<void> {
  const { db, now } = context;
  const image = await findImage(context, imageId);
  if (!image) throw notFound(`Image ${imageId} could not be found.`);
  if (volume.attachments.length > 1)
    throw conflict('Cannot re-image a volume which is attached to more than one server.');
  const expected = allowReserved ? ['available', 'error', 'reserved'] : ['available', 'error'];
  if (!expected.includes(volume.status)) {
    const list =
      expected.length > 2
        ? `${expected.slice(0, -1).join(', ')} or ${expected.at(-1)}`
        : expected.join(' or ');
    throw invalidVolume(
      `Volume ${volume.id} status must be ${list}, but current status is ${volume.status}.`,
    );
  }
  checkImage(image, volume.size);
  await updateVolume(db, volume, { status: 'downloading', previousStatus: volume.status }, now);
  await schedule(db, {
    dueAt: now,
    kind: 'volume.reimaged',
    subject: volume.id,
    payload: { imageId, requestId: context.requestId },
  });
}

/**
 * Returns the new image metadata of a volume that was overwritten with an image, or undefined if
 * the image has been deleted meanwhile.
 */
export async function reimagedMetadata(
  context: Context,
  imageId: string,
): Promise<Metadata | undefined> {
  const image = await findImage(elevated(context), imageId);
  return image && imageMetadataFrom(context, { image });
}

/**
 * Returns the snapshot of the root disk, for an image of a server that boots from a volume.
 * @throws 404 if the snapshot has been deleted
 */
export async function snapshotInImage(
  context: Context,
  imageId: string,
): Promise<string | undefined> {
  const devices = devicesOf(
    (await findImage(context, imageId))?.properties['block_device_mapping'],
  );
  const root = devices.find((one) => one.source_type === 'snapshot' && one.boot_index === 0);
  if (root?.snapshot_id === undefined) return undefined;
  if (await findSnapshot(context.db, root.snapshot_id)) return root.snapshot_id;
  throw notFound(
    `Nova specific image is found, but boot volume snapshot id:${root.snapshot_id} not found.`,
  );
}

interface Device {
  readonly source_type?: string;
  readonly boot_index?: number;
  readonly snapshot_id?: string;
}

function devicesOf(text: string | undefined): readonly Device[] {
  try {
    const devices = JSON.parse(text ?? '[]') as unknown;
    return Array.isArray(devices) ? (devices as Device[]) : [];
  } catch {
    return [];
  }
}

/** Adds or replaces image metadata of a volume. @returns all its image metadata */
export async function addImageMetadata(
  { db, now }: Context,
  volume: Volume,
  added: Metadata,
): Promise<Metadata> {
  const imageMetadata = { ...volume.imageMetadata, ...added };
  await updateVolume(db, volume, { imageMetadata }, now);
  return imageMetadata;
}

/** Deletes a name from the image metadata of a volume. @throws 400 if the volume lacks it */
export async function removeImageMetadata(
  { db, now }: Context,
  volume: Volume,
  name: string,
): Promise<void> {
  const { [name]: removed, ...imageMetadata } = volume.imageMetadata;
  if (removed === undefined)
    throw badRequest(`Glance metadata for volume/snapshot ${volume.id} cannot be found.`);
  await updateVolume(db, volume, { imageMetadata }, now);
}

/** The image to create from a volume. `force` permits a volume that is in use. */
export interface UploadRequest extends Required<
  Pick<NewImage, 'name' | 'diskFormat' | 'containerFormat' | 'visibility' | 'isProtected'>
> {
  readonly force: boolean;
}

/**
 * The image metadata that correspond to fields of an image. All others become its properties.
 * Upstream: glance_core_properties in cinder/image/glance.py.
 */
const coreNames = new Set([
  'checksum',
  'container_format',
  'disk_format',
  'image_name',
  'image_id',
  'min_disk',
  'min_ram',
  'name',
  'size',
]);

/**
 * The beginnings of names that belong to the image that a volume was made of. Upstream:
 * GLANCE_RESERVED_NAMESPACES in cinder/image/image_utils.py.
 */
const reserved = /^(os_glance|img_signature)/;

/**
 * Uploads a volume to a new image. Volumes hold no data here, so the image is blank. If the volume
 * is too large for an image, the image is deleted and a message says so, as upstream.
 * @returns the id of the image, and the volume @throws 400
 */
export async function uploadToImage(
  context: Context,
  volume: Volume,
  { force, ...fields }: UploadRequest,
): Promise<{ imageId: string; volume: Volume }> {
  const { db, now } = context;
  const expected = force ? ['available', 'in-use'] : ['available'];
  if (!expected.includes(volume.status))
    throw badRequest(`Invalid volume: Volume ${volume.id} status must be ${expected.join(' or ')}`);
  const properties = Object.fromEntries(
    Object.entries(volume.imageMetadata).filter(
      ([name]) => !coreNames.has(name) && !reserved.test(name),
    ),
  );
  const image = { ...fields, properties, owner: volume.projectId, minDisk: volume.size };
  const { id: imageId, isStored } = await createBlankImage(context, image, volume.size * 1024 ** 3);
  if (!isStored)
    await createMessage(context, {
      action: 'copyToImage',
      detail: 'uploadFailed',
      projectId: volume.projectId,
      resourceId: volume.id,
      requestId: context.requestId,
    });
  const uploading = await updateVolume(
    db,
    volume,
    { status: 'uploading', previousStatus: volume.status },
    now,
  );
  await schedule(db, { dueAt: now, kind: 'volume.uploaded', subject: volume.id });
  return { imageId, volume: uploading };
}
