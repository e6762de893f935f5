// Changes to a server that are more than another state: rebuild, image of its disk, lock, reset of its state.
import { badRequest, conflict, type Fault } from '../../../../kernel/fault.ts';
import { findKeypair } from '../../store/keypairs.ts';
import { updateServer, type Server, type ServerChanges } from '../../store/servers/servers.ts';
import { idle, require } from '../servers/checks.ts';
import { checkRoom, usableImage } from '../servers/images.ts';
import { giveUpMoves } from '../moves/ends.ts';
import { beginSnapshot, dropSnapshot, finishSnapshot, reimageVolume, type Volume } from '../../neighbours/servers.ts';
import { checkMetadata } from '../servers/quotas.ts';
import { rootVolume, volumeNotInUse } from '../servers/volumes.ts';
import { begin, recordAction, recordDone, type Actor, type Args, type Task, type Work } from '../servers/tasks.ts';
import { isOnVolume, power } from '../servers/states.ts';

/** What a rebuild changes besides the disk. */
export interface Rebuild {
  readonly imageId: string;
  readonly changes: ServerChanges;
  /** Whether the volume that a server starts from gets the image too. */
  readonly reimages: boolean;
}

/** Builds a server anew where it is. @throws 400, 403, 409 */
export async function rebuild(actor: Actor, server: Server, { imageId, changes, reimages }: Rebuild): Promise<void> {
  const { db, projectId, userId, isAdmin } = actor;
  require(server, { action: 'rebuild', vmStates: ['active', 'stopped', 'error'], taskStates: idle }, isAdmin);
  if (changes.keyName && !(await findKeypair(db, userId, changes.keyName))) throw badRequest('Invalid key_name provided.');
  const image = await usableImage(db, { projectId, userId, isAdmin }, imageId, 'Cannot find image for rebuild');
  const root = isOnVolume(server) ? await rootVolume(db, server) : undefined;
  if (root) checkRootVolume(root, imageId, changes, reimages);
  if (changes.metadata) await checkMetadata(db, projectId, changes.metadata);
  if (!isOnVolume(server)) checkRoom(server.flavor, image, true);
  const notInUse = await volumeNotInUse(db, server);
  if (notInUse !== undefined) throw badRequest(notInUse);
  if (server.host === null) throw conflict(`Instance ${server.uuid} is not ready`);
  const args = { stopped: server.vmState === 'stopped', reimage: root && reimages ? { volume: root.id, imageId } : null };
  const disk = isOnVolume(server) ? {} : { imageId, imageProperties: image.properties };
  await begin(actor, server, {
    action: 'rebuild',
    task: 'rebuild',
    taskState: 'rebuilding',
    args,
    latency: 'server.rebuild',
    changes: { ...changes, ...disk, progress: 0 },
  });
}

/** @throws 400 where the volume would have to have another image, and must not get one */
function checkRootVolume({ imageMetadata }: Volume, imageId: string, { trustedCerts }: ServerChanges, reimages: boolean): void {
  if (trustedCerts?.length) throw badRequest('Image certificate validation is not supported for volume-backed servers.');
  if (reimages || imageMetadata['image_id'] === imageId) return;
  const reason = 'Unable to rebuild with a different image for a volume-backed server.';
  throw badRequest(`Image ${imageId} is unacceptable: ${reason}`);
}

export const rebuildTask: Task = {
  event: 'rebuild_server',
  async run({ db, now }, _server, args) {
    const reimage = args['reimage'] as { volume: string; imageId: string } | null;
    if (reimage) await reimageVolume(db, reimage.volume, reimage.imageId, now);
    const state = args['stopped']
      ? { vmState: 'stopped', powerState: power.shutdown }
      : { vmState: 'active', powerState: power.running };
    return { ...state, launchedAt: now, fault: null };
  },
  async failed() {
    return { vmState: 'error' };
  },
};

/** What an image of a server's disk says of itself. */
export const snapshotProperties = ({ userId }: Actor, server: Server, type: string): Record<string, string> => ({
  ...server.imageProperties,
  image_type: type,
  instance_uuid: server.uuid,
  base_image_ref: server.imageId,
  user_id: userId,
});

/** Makes an image of a server's disk. @returns its id. @throws 409 */
export async function createImage(
  actor: Actor,
  server: Server,
  name: string,
  metadata: Readonly<Record<string, string>>,
): Promise<string> {
  const vmStates = ['active', 'stopped', 'paused', 'suspended'];
  require(server, { action: 'createImage', vmStates, taskStates: idle, evenLocked: true }, actor.isAdmin);
  const { db, now, projectId } = actor;
  const properties = { ...snapshotProperties(actor, server, 'snapshot'), ...metadata };
  const id = await beginSnapshot(db, { name, projectId, properties, minDisk: server.flavor.disk, minRam: 0 }, now);
  await begin(actor, server, {
    action: 'createImage',
    task: 'createImage',
    taskState: 'image_snapshot',
    args: { id },
    latency: 'server.createImage',
  });
  return id;
}

export const createImageTask: Task = {
  event: 'compute_snapshot_instance',
  async run({ db, now }, _server, args) {
    await finishSnapshot(db, args['id'] as string, now);
    return {};
  },
  failed: failedSnapshot,
};

/** An image that could not be made does not stay. */
export async function failedSnapshot({ db }: Work, _server: Server, _fault: Fault, args: Args): Promise<ServerChanges> {
  await dropSnapshot(db, args['id'] as string);
  return {};
}

/** Locks a server; who owns one that is locked already changes nothing. */
export async function lock(actor: Actor, server: Server, reason: string | null): Promise<void> {
  const isOwner = server.projectId === actor.projectId;
  if (server.lockedBy !== null && isOwner) return;
  await recordDone(actor, server, 'lock', 'api_lock');
  const changes = { lockedBy: isOwner ? 'owner' : 'admin', ...(reason === null ? {} : { lockedReason: reason }) };
  await updateServer(actor.db, server, changes, actor.now);
}

/** Whether an administrator has locked the server, and somebody else unlocks it, or the other way round. */
export const isLockedByOther = (actor: Actor, { projectId, lockedBy }: Server): boolean =>
  lockedBy !== null && lockedBy !== (projectId === actor.projectId ? 'owner' : 'admin');

export async function unlock(actor: Actor, server: Server): Promise<void> {
  await recordDone(actor, server, 'unlock', 'api_unlock');
  await updateServer(actor.db, server, { lockedBy: null, lockedReason: null }, actor.now);
}

/** Says what state a server is in, whatever it was; what was going on is given up. */
export async function resetState(actor: Actor, server: Server, vmState: string): Promise<void> {
  await recordAction(actor, server.uuid, 'resetState');
  await giveUpMoves(actor, server);
  await updateServer(actor.db, server, { vmState, taskState: null, actionId: null }, actor.now);
}
