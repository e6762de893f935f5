// Changes to a server that are more than another state: rebuild, image of its disk, lock, reset of its state.
import { badRequest, conflict } from '../../../kernel/http/fault.ts';
import { findKeypair } from '../store/keypairs.ts';
import { updateServer, type Server, type ServerChanges } from '../store/servers.ts';
import { idle, require } from './server-checks.ts';
import { checkRoom, usableImage } from './server-images.ts';
import { makeSnapshot } from './server-neighbours.ts';
import { checkMetadata } from './server-quotas.ts';
import { begin, recordAction, recordDone, type Actor, type Task } from './server-work.ts';
import { isOnVolume, power } from './servers.ts';

/** What a rebuild changes besides the disk. */
export interface Rebuild {
  readonly imageId: string;
  readonly changes: ServerChanges;
}

/** Builds a server anew where it is. @throws 400, 403, 409 */
export async function rebuild(actor: Actor, server: Server, { imageId, changes }: Rebuild): Promise<void> {
  const { db, projectId, userId, isAdmin } = actor;
  require(server, { action: 'rebuild', vmStates: ['active', 'stopped', 'error'], taskStates: idle }, isAdmin);
  const image = await usableImage(db, { projectId, userId, isAdmin }, imageId, 'Cannot find image for rebuild');
  if (changes.metadata) await checkMetadata(db, projectId, changes.metadata);
  if (changes.keyName && !(await findKeypair(db, userId, changes.keyName))) throw badRequest('Invalid key_name provided.');
  if (!isOnVolume(server)) checkRoom(server.flavor, image, true);
  if (server.host === null) throw conflict(`Instance ${server.uuid} is not ready`);
  const args = { stopped: server.vmState === 'stopped' };
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

export const rebuildTask: Task = {
  event: 'rebuild_server',
  async run({ now }, _server, args) {
    const state = args['stopped']
      ? { vmState: 'stopped', powerState: power.shutdown }
      : { vmState: 'active', powerState: power.running };
    return { ...state, launchedAt: now, fault: null };
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
  const id = await makeSnapshot(db, { name, projectId, properties, minDisk: server.flavor.disk, minRam: 0 }, now);
  await begin(actor, server, {
    action: 'createImage',
    task: 'createImage',
    taskState: 'image_snapshot',
    latency: 'server.createImage',
  });
  return id;
}

export const createImageTask: Task = { event: 'compute_snapshot_instance', run: async () => ({}) };

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
  await updateServer(actor.db, server, { vmState, taskState: null, actionId: null }, actor.now);
}
