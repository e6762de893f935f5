// Checks whether a server can boot from an image, and whether a flavor is large enough for it.
import { once } from '../../../../kernel/db/transaction.ts';
import { badRequest, forbidden } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { findImage, type ServerImage } from '../../clients/image.ts';
import type { ServerFlavor } from '../../model.ts';

const gigabyte = 1024 ** 3;

/** The fields of an image that matter for booting. The image may be on a volume. */
export type BootImage = Pick<ServerImage, 'size' | 'minDisk' | 'minRam' | 'properties'>;

/**
 * Finds the image to boot from, if it is visible to the actor.
 * @throws 400 if it is unknown or not active
 */
export async function usableImage(
  context: Context,
  id: string,
  missing: string,
): Promise<ServerImage> {
  const { db, actor } = context;
  const key = `compute.image.${id} ${actor.projectId} ${actor.isAdmin}`;
  const image = await once(db, key, () => findImage(context, id));
  if (!image) throw badRequest(missing);
  if (image.status !== 'active') throw badRequest(`Image ${id} is not active.`);
  return image;
}

/** @throws 400 if the flavor is too small; 403 if it has no disk, and that is not allowed */
export function checkRoom(flavor: ServerFlavor, image: BootImage, mayHaveNoDisk: boolean): void {
  checkMemory(flavor, image);
  if (flavor.disk === 0) {
    if (!mayHaveNoDisk)
      throw forbidden('Only volume-backed servers are allowed for flavors with zero disk.');
    return;
  }
  const room = flavor.disk * gigabyte;
  if (image.size > room)
    throw badRequest(
      "Flavor's disk is too small for requested image. " +
        `Flavor disk is ${room} bytes, image is ${image.size} bytes.`,
    );
  const least = image.minDisk * gigabyte;
  if (least > room) {
    throw badRequest(
      "Flavor's disk is smaller than the minimum size specified in image metadata. " +
        `Flavor disk is ${room} bytes, minimum size is ${least} bytes.`,
    );
  }
}

/** @throws 400 if a new volume is smaller than the image requires. Sizes are in GB */
export function checkVolumeRoom(size: number | null, { minDisk }: BootImage): void {
  if (size === null || minDisk <= size) return;
  throw badRequest(
    'Volume is smaller than the minimum size specified in image metadata. ' +
      `Volume size is ${size * gigabyte} bytes, minimum size is ${minDisk * gigabyte} bytes.`,
  );
}

/** @throws 400 if the flavor has less memory than the image requires */
export function checkMemory({ ram }: ServerFlavor, { minRam }: BootImage): void {
  if (ram < minRam) throw badRequest("Flavor's memory is too small for requested image.");
}
