// The client of Volume: the volumes of servers.
import { ApiError, forbidden } from '../../../kernel/errors.ts';
import type { ServiceRequest } from '../../../kernel/http/call-service.ts';
import type { Actor, Context } from '../../../kernel/model.ts';
import { elevated, contextWith } from '../../../kernel/context.ts';
import * as volume from '../../volume/index.ts';
import { callApi, type ErrorTranslations } from './client.ts';

export type { Volume } from '../../volume/index.ts';

/** A volume in the replies of Volume's API. */
export interface CinderVolume extends Pick<
  volume.Volume,
  'id' | 'name' | 'description' | 'status' | 'size' | 'metadata'
> {
  readonly availability_zone: volume.Volume['availabilityZone'];
  readonly created_at: string;
  readonly volume_type: volume.Volume['typeName'] | null;
  readonly snapshot_id: volume.Volume['snapshotId'];
  readonly attachments: readonly {
    readonly server_id: string;
    readonly device: volume.Attachment['mountpoint'];
  }[];
}

/** A snapshot in the replies of Volume's API. */
export interface CinderSnapshot extends Pick<
  volume.VolumeSnapshot,
  'id' | 'name' | 'description' | 'status' | 'size'
> {
  readonly volume_id: volume.VolumeSnapshot['volumeId'];
  readonly created_at: string;
}

/**
 * Calls the API of Volume as the actor, at the version that Nova uses. Upstream: volume/cinder.py.
 * @throws ApiError
 */
export const callVolume = <T>(
  context: Context,
  request: ServiceRequest,
  translations?: ErrorTranslations,
): Promise<T> => callApi(context, volume.volume, { version: '3.0', ...request }, translations);

/** The message that Volume's client gives an error. Upstream: cinderclient/exceptions.py. */
export const volumeErrorMessage = (
  { requestId }: Pick<Context, 'requestId'>,
  { status, message }: ApiError,
): string => `${message} (HTTP ${status}) (Request-ID: ${requestId})`;

/** Finds a volume that is visible to the actor. */
export const findVolume = (context: Context, id: string): Promise<volume.Volume | undefined> =>
  volume.volumeFor(context, id).catch(undefinedFor404);

/** Finds a snapshot of a volume that is visible to the actor. */
export const findVolumeSnapshot = (
  context: Context,
  id: string,
): Promise<volume.VolumeSnapshot | undefined> =>
  volume.snapshotFor(context, id).catch(undefinedFor404);

/** Finds a volume type that is visible to the actor, by its id or name. */
export const findVolumeType = (
  context: Context,
  nameOrId: string,
): Promise<volume.VolumeType | undefined> =>
  volume.typeNamed(context, nameOrId).catch(undefinedFor404);

function undefinedFor404(error: unknown): undefined {
  if (error instanceof ApiError && error.status === 404) return undefined;
  throw error;
}

/** The server and the device to attach a volume to. */
export interface VolumeTarget {
  readonly server: string;
  readonly host: string | null;
  readonly device: string;
}

/** Attaches a volume to a server. @returns the id of the attachment. @throws 400, 404, 409 */
export async function attachVolume(
  context: Context,
  id: string,
  { server, host, device }: VolumeTarget,
): Promise<string> {
  const found = await volume.volumeFor(elevated(context), id);
  const place = { instanceUuid: server, host: host ?? '', mountpoint: device };
  return (await volume.attachToServer(context, found, place)).id;
}

/** Detaches a volume from a server; does nothing if the attachment is already deleted. */
export const detachVolume = (context: Context, attachmentId: string): Promise<void> =>
  volume.detachFromServer(context, attachmentId);

/** Overwrites a server's volume with another image. @throws 400, 409 */
export const reimageVolume = (context: Context, id: string, imageId: string): Promise<void> =>
  volume.reimageForServer(context, id, imageId);

/**
 * Creates a snapshot of a server's volume, for the actor's project.
 * @returns its id
 * @throws 400; 403 if the quota is exceeded
 */
export async function createVolumeSnapshot(
  context: Context,
  source: volume.Volume,
  name: string,
): Promise<string> {
  const request = {
    name: name.slice(0, 255),
    description: source.description ?? '',
    metadata: {},
    inUse: true,
  };
  try {
    return (await volume.createVolumeSnapshot(context, source, request)).id;
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
 * The owner of a server as an actor, so that new volumes count against the owner's quotas, and only
 * images and snapshots that the owner sees can be used.
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
 * Deletes a volume together with its server, unless the volume has snapshots or is attached to
 * another server.
 */
export const deleteVolume = (context: Context, id: string): Promise<void> =>
  volume.deleteWithServer(context, id);
