// The actions rebuild, createImage, lock, unlock and resetState.
import { badRequest, conflict, type ApiError } from '../../../../kernel/errors.ts';
import { findKeypair } from '../../store/keypairs.ts';
import { changeServer } from '../servers/change.ts';
import { idle, requireState } from '../servers/checks.ts';
import { checkRoom, usableImage } from '../servers/images.ts';
import type { Context } from '../../../../kernel/model.ts';
import { abandonMoves } from '../moves/ends.ts';
import { createSnapshot, deleteSnapshot, storeSnapshotData } from '../../clients/image.ts';
import { reimageVolume, type Volume } from '../../clients/volume.ts';
import { limitsOf } from '../quotas.ts';
import { checkFiles, checkMetadata, type InjectedFile } from '../servers/quotas.ts';
import { rootVolume, volumeNotInUse } from '../servers/volumes.ts';
import type { ImageArgs, RebuildArgs } from '../servers/task-args.ts';
import { recordAction, recordDone, startAction, type Task } from '../servers/tasks.ts';
import { isOnVolume, power } from '../servers/states.ts';
import type { Server, ServerChanges, VmState } from '../../model.ts';

/** The parameters of a rebuild. */
export interface Rebuild {
  readonly imageId: string;
  readonly changes: ServerChanges;
  /** Whether a rebuild may write another image to the server's root volume. */
  readonly reimages: boolean;
  readonly files: readonly InjectedFile[];
}

/** Rebuilds a server on its host. @throws 400, 403, 409 */
export async function rebuild(
  context: Context,
  server: Server,
  { imageId, changes, reimages, files }: Rebuild,
): Promise<void> {
  const { db, actor } = context;
  requireState(context, server, {
    action: 'rebuild',
    vmStates: ['active', 'stopped', 'error'],
    taskStates: idle,
  });
  if (changes.keyName && !(await findKeypair(db, actor.userId, changes.keyName)))
    throw badRequest('Invalid key_name provided.');
  const image = await usableImage(context, imageId, 'Cannot find image for rebuild');
  const root = isOnVolume(server) ? await rootVolume(context, server) : undefined;
  if (root) checkRootVolume(root, imageId, changes, reimages);
  if (changes.metadata || files.length) {
    const limits = await limitsOf(db, actor.projectId ?? '');
    if (changes.metadata) checkMetadata(limits, changes.metadata);
    checkFiles(limits, files);
  }
  if (!isOnVolume(server)) checkRoom(server.flavor, image, true);
  const notInUse = await volumeNotInUse(context, server);
  if (notInUse !== undefined) throw badRequest(notInUse);
  if (server.host === null) throw conflict(`Instance ${server.uuid} is not ready`);
  const args = {
    stopped: server.vmState === 'stopped',
    reimage: root && reimages ? { volume: root.id, imageId } : null,
  };
  const disk = isOnVolume(server) ? {} : { imageId, imageProperties: image.properties };
  await startAction(context, server, {
    action: 'rebuild',
    task: 'rebuild',
    taskState: 'rebuilding',
    args,
    latency: 'server.rebuild',
    changes: { ...changes, ...disk, progress: 0 },
  });
}

/** @throws 400 if the root volume has another image, and the rebuild may not reimage it */
function checkRootVolume(
  { imageMetadata }: Volume,
  imageId: string,
  { trustedCerts }: ServerChanges,
  reimages: boolean,
): void {
  if (trustedCerts?.length)
    throw badRequest('Image certificate validation is not supported for volume-backed servers.');
  if (reimages || imageMetadata['image_id'] === imageId) return;
  const reason = 'Unable to rebuild with a different image for a volume-backed server.';
  throw badRequest(`Image ${imageId} is unacceptable: ${reason}`);
}

export const rebuildTask: Task<RebuildArgs> = {
  event: 'rebuild_server',
  async run(context, _server, { stopped, reimage }) {
    if (reimage) await reimageVolume(context, reimage.volume, reimage.imageId);
    const state: ServerChanges = stopped
      ? { vmState: 'stopped', powerState: power.shutdown }
      : { vmState: 'active', powerState: power.running };
    return { ...state, launchedAt: context.now, fault: null };
  },
  async failed() {
    return { vmState: 'error' };
  },
};

/**
 * The properties that an image of a server's disk inherits from the image that the server was
 * created from. Upstream: NON_INHERITABLE_IMAGE_* in compute/utils.py.
 */
export const inheritedProperties = ({ imageProperties }: Server): Record<string, string> =>
  Object.fromEntries(
    Object.entries(imageProperties).filter(
      ([name]) =>
        !/^(cinder_encryption_key_|img_signature|os_glance|cache_in_nova$|bittorrent$)/.test(name),
    ),
  );

/** The properties of an image of a server's disk. */
export const snapshotProperties = (
  { actor }: Context,
  server: Server,
  type: string,
): Record<string, string> => ({
  ...inheritedProperties(server),
  image_type: type,
  instance_uuid: server.uuid,
  base_image_ref: server.imageId,
  user_id: actor.userId,
});

/** Creates an image of a server's disk. @returns its id. @throws 409 */
export async function createImage(
  context: Context,
  server: Server,
  name: string,
  metadata: Readonly<Record<string, string>>,
): Promise<string> {
  const vmStates = ['active', 'stopped', 'paused', 'suspended'];
  requireState(context, server, {
    action: 'createImage',
    vmStates,
    taskStates: idle,
    evenLocked: true,
  });
  const owners = { projectId: context.actor.projectId ?? '', serverProjectId: server.projectId };
  const properties = { ...snapshotProperties(context, server, 'snapshot'), ...metadata };
  const id = await createSnapshot(context, {
    ...owners,
    name,
    properties,
    minDisk: server.flavor.disk,
    minRam: 0,
  });
  await startAction(context, server, {
    action: 'createImage',
    task: 'createImage',
    taskState: 'image_snapshot',
    args: { id },
    latency: 'server.createImage',
  });
  return id;
}

export const createImageTask: Task<ImageArgs> = {
  event: 'compute_snapshot_instance',
  notified: snapshotFields,
  async run(context, _server, { id }) {
    await storeSnapshotData(context, id);
    return {};
  },
  failed: failedSnapshot,
};

/** The field of the notifications about a snapshot. */
export function snapshotFields({ id }: ImageArgs): object {
  return { snapshot_image_id: id };
}

/** Deletes the image of a snapshot that has failed. */
export async function failedSnapshot(
  context: Context,
  _server: Server,
  _error: ApiError,
  { id }: ImageArgs,
): Promise<ServerChanges> {
  await deleteSnapshot(context, id);
  return {};
}

/** Locks a server. If it is already locked, an owner's request has no effect. */
export async function lock(context: Context, server: Server, reason: string | null): Promise<void> {
  const isOwner = server.projectId === context.actor.projectId;
  if (server.lockedBy !== null && isOwner) return;
  const locked = await changeServer(context, server, {
    lockedBy: isOwner ? 'owner' : 'admin',
    ...(reason === null ? {} : { lockedReason: reason }),
  });
  await recordDone(context, locked, 'lock', 'api_lock');
}

/** Whether an administrator has locked the server and the actor is its owner, or vice versa. */
export const isLockedByOther = ({ actor }: Context, { projectId, lockedBy }: Server): boolean =>
  lockedBy !== null && lockedBy !== (projectId === actor.projectId ? 'owner' : 'admin');

/** Unlocks a server. */
export async function unlock(context: Context, server: Server): Promise<void> {
  const unlocked = await changeServer(context, server, { lockedBy: null, lockedReason: null });
  await recordDone(context, unlocked, 'unlock', 'api_unlock');
}

/** Sets the state of a server, and abandons its current action and its open moves. */
export async function resetState(
  context: Context,
  server: Server,
  vmState: VmState,
): Promise<void> {
  await recordAction(context, server.uuid, 'resetState');
  await abandonMoves(context, server);
  await changeServer(context, server, { vmState, taskState: null, actionId: null });
}
