// Whether a flavor has room for an image.
import { badRequest, forbidden } from '../../../../kernel/fault.ts';
import type { ServerFlavor } from '../../store/servers/servers.ts';
import { findImage, type ServerImage, type Viewer } from '../../neighbours/servers.ts';
import type { Db } from '../../../../kernel/db/database.ts';

const gigabyte = 1024 ** 3;

/** The image to start from. @throws 400 where there is none, or it cannot be used */
export async function usableImage(db: Db, viewer: Viewer, id: string, missing: string): Promise<ServerImage> {
  const image = await findImage(db, viewer, id);
  if (!image) throw badRequest(missing);
  if (image.status !== 'active') throw badRequest(`Image ${id} is not active.`);
  return image;
}

/** @throws 400 where the flavor is too small; 403 where it has no disk, and that is not allowed */
export function checkRoom(flavor: ServerFlavor, image: ServerImage, mayHaveNoDisk: boolean): void {
  if (flavor.ram < image.minRam) throw badRequest("Flavor's memory is too small for requested image.");
  if (flavor.disk === 0) {
    if (!mayHaveNoDisk) throw forbidden('Only volume-backed servers are allowed for flavors with zero disk.');
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
