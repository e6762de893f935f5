// The source of a new volume, which is an image, a snapshot, another volume, a backup or none, and
// the size, type and image metadata that follow from it.
import type { Context } from '../../../../kernel/model.ts';
import { elevated } from '../../../../kernel/context.ts';
import { findImage, type Image } from '../../clients/image.ts';
import { findVolume } from '../../store/volumes.ts';
import {
  invalidBackup,
  invalidInput,
  invalidSnapshot,
  invalidVolume,
  noVolume,
} from '../errors.ts';
import type { Backup, Metadata, Snapshot, Volume, VolumeType } from '../../model.ts';
import { snapshotFor } from '../snapshots.ts';
import { defaultType, typeById, typeNamed } from '../types/types.ts';
import { isVisible } from '../visibility.ts';

/** The source that a request names. It names at most one. */
export interface SourceRequest {
  readonly imageId?: string | undefined;
  readonly snapshotId?: string | null | undefined;
  readonly sourceVolid?: string | null | undefined;
  /** A backup that the actor may see. */
  readonly backup?: Backup | undefined;
}

/** The records of the source, at most one. */
export interface Source {
  readonly image?: Image | undefined;
  readonly snapshot?: Snapshot | undefined;
  readonly volume?: Volume | undefined;
  readonly backup?: Backup | undefined;
}

/** Returns a volume that the actor may see. @throws 404, also for a volume of another project */
export async function volumeFor(context: Context, id: string): Promise<Volume> {
  const volume = await findVolume(context.db, id);
  if (!volume || !isVisible(context, volume)) throw noVolume(id);
  return volume;
}

/** Finds the source of a new volume, and checks its status. @throws 400, 404 */
export async function sourceOf(
  context: Context,
  { imageId, snapshotId, sourceVolid, backup }: SourceRequest,
): Promise<Source> {
  const snapshot = snapshotId ? await snapshotFor(context, snapshotId) : undefined;
  const volume = sourceVolid ? await volumeFor(context, sourceVolid) : undefined;
  const image = imageId ? await findImage(context, imageId) : undefined;
  if (imageId && !image) throw invalidInput(`Image ${imageId} could not be found.`);
  if ([imageId, snapshotId, sourceVolid, backup].filter(Boolean).length > 1)
    throw invalidInput(
      'Could not create a volume from more than one of image, snapshot, volume and backup.',
    );
  if (snapshot && snapshot.status !== 'available')
    throw invalidSnapshot("Originating snapshot status must be one of 'available' values");
  if (volume && !['available', 'in-use'].includes(volume.status))
    throw invalidVolume("Originating volume status must be one of 'available, in-use' values");
  if (backup && backup.status !== 'available')
    throw invalidBackup("Originating backup status must be one of 'available' values");
  return { image, snapshot, volume, backup };
}

/**
 * Returns the size of the new volume in GiB, by default the size of the source.
 * @throws 400 if the source does not fit
 */
export function sizeFor(
  requested: number | null | undefined,
  { image, snapshot, volume, backup }: Source,
): number {
  const size = requested ?? snapshot?.size ?? volume?.size ?? backup?.size;
  if (size === undefined || size <= 0)
    throw invalidInput(`Volume size '${size ?? 'None'}' must be an integer and greater than 0`);
  if (snapshot && size < snapshot.size)
    throw invalidInput(
      `Volume size '${size}'GB cannot be smaller than the snapshot size ${snapshot.size}GB. ` +
        'They must be >= original snapshot size.',
    );
  if (volume && size < volume.size)
    throw invalidInput(
      `Volume size '${size}'GB cannot be smaller than original volume size  ` +
        `${volume.size}GB. They must be >= original volume size.`,
    );
  if (backup && size < backup.size)
    throw invalidInput(
      `Volume size ${size}GB cannot be smaller than the backup size ${backup.size}GB. It must be ` +
        '>= backup size.',
    );
  if (image) checkImage(image, size);
  return size;
}

/** Checks that an image is active and fits into a volume. `size` is in GiB. @throws 400 */
export function checkImage(image: Image, size: number): void {
  if (image.status !== 'active') throw invalidInput(`Image ${image.id} is not active.`);
  const imageSize = Math.ceil((image.size ?? 0) / 1024 ** 3);
  if (imageSize > size)
    throw invalidInput(
      `Size of specified image ${imageSize}GB is larger than volume size ${size}GB.`,
    );
  if (image.minDisk > size)
    throw invalidInput(
      `Volume size ${size}GB cannot be smaller than the image minDisk size ${image.minDisk}GB.`,
    );
}

/**
 * Returns the type of a new volume whose request does not name one: the type of the source, the
 * type that the image names, or the default type.
 * @throws 404
 */
export async function typeFor(
  context: Context,
  { image, snapshot, volume }: Source,
): Promise<VolumeType> {
  const inherited = volume?.typeId ?? snapshot?.typeId;
  if (inherited) return typeById(elevated(context), inherited);
  const typeOfImage = image?.properties['cinder_img_volume_type'];
  return typeOfImage ? typeNamed(context, typeOfImage) : defaultType(context);
}

/** Returns the image metadata of a new volume. A copy inherits that of the original volume. */
export async function imageMetadataFrom(
  { db }: Context,
  { image, snapshot, volume }: Source,
): Promise<Metadata> {
  if (volume) return volume.imageMetadata;
  if (snapshot) return (await findVolume(db, snapshot.volumeId))?.imageMetadata ?? {};
  if (!image) return {};
  return {
    ...image.properties,
    image_id: image.id,
    image_name: image.name ?? '',
    checksum: image.checksum ?? '',
    container_format: image.containerFormat ?? '',
    disk_format: image.diskFormat ?? '',
    min_disk: String(image.minDisk),
    min_ram: String(image.minRam),
    size: String(image.size ?? 0),
  };
}

/** Returns whether servers can boot from a new volume with this source. */
export async function isBootable(
  { db }: Context,
  { image, snapshot, volume }: Source,
): Promise<boolean> {
  const original = snapshot ? await findVolume(db, snapshot.volumeId) : volume;
  return image !== undefined || original?.bootable === true;
}
