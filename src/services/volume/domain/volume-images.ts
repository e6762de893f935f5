// Volumes and images: the image that a new volume names, its metadata on the volume, and uploading a volume to a new image.
import { badRequest, conflict } from '../../../kernel/fault.ts';
import { isUuidLike } from '../../../kernel/ids.ts';
import { schedule } from '../../../kernel/jobs.ts';
import type { Work } from '../../../kernel/model.ts';
import { createEmptyImage, findImage, findImagesNamed, type Image, type NewImage } from '../neighbours/image.ts';
import { updateVolume } from '../store/volumes.ts';
import type { Metadata, Volume } from './records.ts';
import { checkImage, imageMetadataFrom } from './volume-sources.ts';

/** The id of the image that a reference names, by id, by name, or by URL. @throws 400, 409 */
export async function imageIdFor(work: Work, reference: string): Promise<string> {
  const id = reference.split('/').at(-1)!;
  const image = isUuidLike(id) ? await findImage(work, id) : undefined;
  if (image) return image.id;
  const named = await findImagesNamed(work, reference);
  if (named.length > 1) throw conflict(`Multiple matches found for '${reference}', use an ID to be more specific.`);
  if (!named[0]) throw badRequest('Invalid image identifier or unable to access requested image.');
  return named[0].id;
}

/** Writes another image over a volume that one server has. Upstream: reimage in cinder/volume/api.py. @throws 400, 409 */
export async function reimageVolume(work: Work, volume: Volume, image: Image): Promise<void> {
  if (volume.attachments.length > 1) throw conflict('Cannot re-image a volume which is attached to more than one server.');
  checkImage(image, volume.size);
  const imageMetadata = await imageMetadataFrom(work, { image });
  await updateVolume(work.db, volume, { imageMetadata, bootable: true }, work.now);
}

/** Adds image metadata to a volume. @returns all of it */
export async function addImageMetadata({ db, now }: Work, volume: Volume, added: Metadata): Promise<Metadata> {
  const imageMetadata = { ...volume.imageMetadata, ...added };
  await updateVolume(db, volume, { imageMetadata }, now);
  return imageMetadata;
}

/** Takes one name out of the image metadata of a volume. @throws 400 where it is not there */
export async function removeImageMetadata({ db, now }: Work, volume: Volume, name: string): Promise<void> {
  const { [name]: removed, ...imageMetadata } = volume.imageMetadata;
  if (removed === undefined) throw badRequest(`Glance metadata for volume/snapshot ${volume.id} cannot be found.`);
  await updateVolume(db, volume, { imageMetadata }, now);
}

/** The image to create of a volume; `force` also of one that is in use. */
export interface UploadRequest extends Required<
  Pick<NewImage, 'name' | 'diskFormat' | 'containerFormat' | 'visibility' | 'isProtected'>
> {
  readonly force: boolean;
}

/** Uploads a volume to a new image. A volume has no data here, so the image is empty. @returns the image's id, and the volume @throws 400 */
export async function uploadToImage(
  work: Work,
  volume: Volume,
  { force, ...fields }: UploadRequest,
): Promise<{ imageId: string; volume: Volume }> {
  const { db, now } = work;
  const expected = force ? ['available', 'in-use'] : ['available'];
  if (!expected.includes(volume.status))
    throw badRequest(`Invalid volume: Volume ${volume.id} status must be ${expected.join(' or ')}`);
  const imageId = await createEmptyImage(work, { ...fields, owner: volume.projectId, minDisk: volume.size });
  const uploading = await updateVolume(db, volume, { status: 'uploading', previousStatus: volume.status }, now);
  await schedule(db, { dueAt: now, kind: 'volume.uploaded', subject: volume.id });
  return { imageId, volume: uploading };
}
