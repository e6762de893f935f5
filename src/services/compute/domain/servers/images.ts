// The images that servers start from: whether one can be used, and whether a flavor has room for
// it.
import { badRequest, forbidden } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { findImage, type ServerImage } from '../../clients/image.ts';
import type { ServerFlavor } from '../../model.ts';

const gigabyte = 1024 ** 3;

/** An image, as far as starting from it goes: it may be on a volume. */
export type BootImage = Pick<ServerImage, 'size' | 'minDisk' | 'minRam' | 'properties'>;

/**
 * The image to start from, as the actor of the work may see it.
 * @throws 400 where there is none, or it is not active
 */
export async function usableImage(
  context: Context,
  id: string,
  missing: string,
): Promise<ServerImage> {
  const image = await findImage(context, id);
  if (!image) throw badRequest(missing);
  if (image.status !== 'active') throw badRequest(`Image ${id} is not active.`);
  return image;
}

/** @throws 400 where the flavor is too small; 403 where it has no disk, and that is not allowed */
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
      `Flavor's disk is too small for requested image. Flavor disk is ${room} bytes, image is ${image.size} bytes.`,
    );
  const least = image.minDisk * gigabyte;
  if (least > room) {
    throw badRequest(
      `Flavor's disk is smaller than the minimum size specified in image metadata. Flavor disk is ${room} bytes, minimum size is ${least} bytes.`,
    );
  }
}

/** @throws 400 where the volume that is to be made, in GB, is smaller than the image needs */
export function checkVolumeRoom(size: number | null, { minDisk }: BootImage): void {
  if (size === null || minDisk <= size) return;
  throw badRequest(
    `Volume is smaller than the minimum size specified in image metadata. Volume size is ${size * gigabyte} bytes, minimum size is ${minDisk * gigabyte} bytes.`,
  );
}

/** @throws 400 where the flavor has less memory than the image needs */
export function checkMemory({ ram }: ServerFlavor, { minRam }: BootImage): void {
  if (ram < minRam) throw badRequest("Flavor's memory is too small for requested image.");
}
