// Whether a server can be rescued, and with what image. Upstream: compute/api.py rescue.
import { badRequest, conflict } from '../../../kernel/http/fault.ts';
import { listServerVolumes } from '../store/server-devices.ts';
import type { Server } from '../store/servers.ts';
import { findImage, findVolume, type Viewer } from './server-neighbours.ts';
import { change, checkChange } from './server-transitions.ts';
import type { Actor } from './server-work.ts';
import { isOnVolume } from './servers.ts';

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
  await checkVolumes(actor, server);
  const { properties } = image;
  const stable = mayBeOnVolume && 'hw_rescue_bus' in properties && 'hw_rescue_device' in properties;
  if (isOnVolume(server) && !stable)
    throw badRequest(`Instance ${server.uuid} cannot be rescued: Cannot rescue a volume-backed instance`);
  await change(actor, server, 'rescue');
}

/** @throws 409 where a volume of the server is not in use */
async function checkVolumes({ db, projectId, userId }: Actor, { uuid }: Server): Promise<void> {
  for (const { volumeId } of await listServerVolumes(db, [uuid])) {
    const volume = await findVolume(db, { projectId, userId, isAdmin: true }, volumeId);
    if (volume && volume.status !== 'in-use')
      throw conflict(`Invalid volume: volume '${volumeId}' status must be 'in-use'. Currently in '${volume.status}' status`);
  }
}
