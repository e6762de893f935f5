// What Compute asks of Volume: the volumes that servers have.
import { ApiError, forbidden } from '../../../kernel/errors.ts';
import type { ServiceRequest } from '../../../kernel/http/call-service.ts';
import type { Actor, Context } from '../../../kernel/model.ts';
import { elevated, contextWith } from '../../../kernel/context.ts';
import * as volume from '../../volume/index.ts';
import { askAs, type Rewording } from './client.ts';

export type { Volume } from '../../volume/index.ts';

/**
 * Asks Volume as the actor of the work would, at the version that Compute speaks. Upstream:
 * volume/cinder.py.
 * @throws Fault
 */
export const askVolume = <T>(
  context: Context,
  request: ServiceRequest,
  rewording?: Rewording,
): Promise<T> => askAs(context, volume.volume, { version: '3.0', ...request }, rewording);

/** A refusal of Volume in the words of its client. Upstream: cinderclient/exceptions.py. */
export const volumeSays = (
  { requestId }: Pick<Context, 'requestId'>,
  { status, message }: ApiError,
): string => `${message} (HTTP ${status}) (Request-ID: ${requestId})`;

/** The volume, where the actor of the work may see it. */
export const findVolume = (context: Context, id: string): Promise<volume.Volume | undefined> =>
  volume.volumeFor(context, id).catch(undefinedFor404);

/** The snapshot of a volume, where the actor of the work may see it. */
export const findVolumeSnapshot = (
  context: Context,
  id: string,
): Promise<volume.VolumeSnapshot | undefined> =>
  volume.snapshotFor(context, id).catch(undefinedFor404);

/** The volume type with that id or name, where the actor of the work may see it. */
export const findVolumeType = (
  context: Context,
  nameOrId: string,
): Promise<volume.VolumeType | undefined> =>
  volume.typeNamed(context, nameOrId).catch(undefinedFor404);

function undefinedFor404(error: unknown): undefined {
  if (error instanceof ApiError && error.status === 404) return undefined;
  throw error;
}

/** Where a server is to have a volume. */
export interface VolumePlace {
  readonly server: string;
  readonly host: string | null;
  readonly device: string;
}

/** Attaches a volume to a server. @returns the id of the attachment. @throws 400, 404, 409 */
export async function attachVolume(
  context: Context,
  id: string,
  { server, host, device }: VolumePlace,
): Promise<string> {
  const found = await volume.volumeFor(elevated(context), id);
  const place = { instanceUuid: server, host: host ?? '', mountpoint: device };
  return (await volume.attachToServer(context, found, place)).id;
}

/** Detaches a volume from a server; an attachment that is gone is no error. */
export const detachVolume = (context: Context, attachmentId: string): Promise<void> =>
  volume.detachFromServer(context, attachmentId);

/** Writes another image over a server's volume. @throws 400, 409 */
export const reimageVolume = (context: Context, id: string, imageId: string): Promise<void> =>
  volume.reimageForServer(context, id, imageId);

/**
 * Creates a snapshot of a server's volume, for the actor's project.
 * @returns its id.
 * @throws 400, 403 where the quota is used up
 */
export async function createVolumeSnapshot(
  context: Context,
  of: volume.Volume,
  name: string,
): Promise<string> {
  const request = {
    name: name.slice(0, 255),
    description: of.description ?? '',
    metadata: {},
    inUse: true,
  };
  try {
    return (await volume.createVolumeSnapshot(context, of, request)).id;
  } catch (error) {
    if (error instanceof ApiError && error.status === 413)
      throw forbidden('Quota exceeded for resources: snapshots');
    throw error;
  }
}

/** A volume that is created for a server. `size` is in GB. */
export interface NewVolume {
  readonly size: number;
  readonly imageId: string | undefined;
  readonly snapshotId: string | undefined;
  readonly type: string | undefined;
}

interface Owner {
  readonly projectId: string;
  readonly userId: string;
}

/**
 * The owner of a server as an actor: what is created counts against their quotas, and they see only
 * their own images and snapshots.
 */
const actorFor = ({ projectId, userId }: Owner): Actor => ({
  userId,
  projectId,
  roles: [],
  isAdmin: false,
  isService: false,
  credentials: { roles: [], user_id: userId, project_id: projectId },
});

/** Creates a volume for the owner of a server. @returns its id. @throws 400, 404, 413 */
export async function createVolume(
  context: Context,
  owner: Owner,
  { size, imageId, snapshotId, type }: NewVolume,
): Promise<string> {
  const request: volume.VolumeRequest = {
    name: '',
    description: '',
    size,
    metadata: {},
    imageId,
    snapshotId,
    type,
  };
  return (await volume.createReadyVolume(contextWith(context, { actor: actorFor(owner) }), request))
    .id;
}

/**
 * Deletes a volume that goes with its server; one that has snapshots, or is attached elsewhere,
 * stays.
 */
export const deleteVolume = (context: Context, id: string): Promise<void> =>
  volume.deleteWithServer(context, id);
