// Rescues servers, after checking their state and the rescue image. Upstream: compute/api.py
// rescue.
import { badRequest, conflict } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { findImage } from '../../clients/image.ts';
import { checkTransition, startTransition } from './transitions.ts';
import { volumeNotInUse } from '../servers/volumes.ts';
import { isOnVolume } from '../servers/states.ts';
import type { Server } from '../../model.ts';

/** The parameters of a rescue. */
export interface RescueRequest {
  /** The rescue image; null means the image of the server. */
  readonly imageId: string | null;
  /**
   * Whether a server with its root disk on a volume may be rescued, provided that the rescue image
   * has the properties for it.
   */
  readonly mayBeOnVolume: boolean;
}

/** Rescues a server. @throws 400, 409 */
export async function rescue(
  context: Context,
  server: Server,
  { imageId, mayBeOnVolume }: RescueRequest,
): Promise<void> {
  checkTransition(context, server, 'rescue');
  const image =
    imageId === null ? { properties: server.imageProperties } : await findImage(context, imageId);
  if (!image || 'block_device_mapping' in image.properties) {
    throw badRequest(`Requested rescue image '${imageId ?? server.imageId}' is not supported`);
  }
  const notInUse = await volumeNotInUse(context, server);
  if (notInUse !== undefined) throw conflict(notInUse);
  const { properties } = image;
  const stable = mayBeOnVolume && 'hw_rescue_bus' in properties && 'hw_rescue_device' in properties;
  if (isOnVolume(server) && !stable)
    throw badRequest(
      `Instance ${server.uuid} cannot be rescued: Cannot rescue a volume-backed instance`,
    );
  await startTransition(context, server, 'rescue');
}
