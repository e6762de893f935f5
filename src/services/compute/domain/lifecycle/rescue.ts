// Whether a server can be rescued, and with what image. Upstream: compute/api.py rescue.
import { badRequest, conflict } from '../../../../kernel/fault.ts';
import type { Server } from '../../store/servers/servers.ts';
import { findImage, type Viewer } from '../../neighbours/servers.ts';
import { change, checkChange } from './transitions.ts';
import { volumeNotInUse } from '../servers/volumes.ts';
import type { Actor } from '../servers/tasks.ts';
import { isOnVolume } from '../servers/states.ts';

export interface RescueWish {
  /** Null starts the server from its own image. */
  readonly imageId: string | null;
  /** Whether one whose root disk is on a volume may be rescued, where its image says how. */
  readonly mayBeOnVolume: boolean;
}

/** Rescues a server. @throws 400, 409 */
export async function rescue(actor: Actor, server: Server, { imageId, mayBeOnVolume }: RescueWish): Promise<void> {
  checkChange(actor, server, 'rescue');
  const viewer: Viewer = { projectId: actor.projectId, userId: actor.userId, isAdmin: actor.isAdmin };
  const image = imageId === null ? { properties: server.imageProperties } : await findImage(actor.db, viewer, imageId);
  if (!image || 'block_device_mapping' in image.properties) {
    throw badRequest(`Requested rescue image '${imageId ?? server.imageId}' is not supported`);
  }
  const notInUse = await volumeNotInUse(actor.db, server);
  if (notInUse !== undefined) throw conflict(notInUse);
  const { properties } = image;
  const stable = mayBeOnVolume && 'hw_rescue_bus' in properties && 'hw_rescue_device' in properties;
  if (isOnVolume(server) && !stable)
    throw badRequest(`Instance ${server.uuid} cannot be rescued: Cannot rescue a volume-backed instance`);
  await change(actor, server, 'rescue');
}
