// The client of Image: the images that servers boot from, and the images of servers' disks.
import { STATUS_CODES } from 'node:http';
import type { ApiError } from '../../../kernel/errors.ts';
import type { ServiceRequest } from '../../../kernel/http/call-service.ts';
import type { Context } from '../../../kernel/model.ts';
import { elevated } from '../../../kernel/context.ts';
import * as image from '../../image/index.ts';
import { callApi, type ErrorTranslations } from './client.ts';

/** An image in the replies of Image's API, where its properties are siblings of its own fields. */
export type GlanceImage = Readonly<Record<string, unknown>> &
  Pick<image.Image, 'id' | 'name' | 'status' | 'size'> & {
    readonly min_ram: image.Image['minRam'];
    readonly min_disk: image.Image['minDisk'];
    readonly created_at: string;
    readonly updated_at: string;
  };

/** Calls the API of Image as the actor. @throws ApiError */
export const callImage = <T>(
  context: Context,
  request: ServiceRequest,
  translations?: ErrorTranslations,
): Promise<T> => callApi(context, image.image, request, translations);

/** The message that Image's client gives an error. Upstream: glanceclient/exc.py. */
export const imageErrorMessage = ({ status, message }: ApiError): string =>
  `HTTP ${status} ${STATUS_CODES[status]}: ${message}`;

/**
 * The fields of an image that matter for servers. `size` is in bytes, `minDisk` in GB, `minRam` in
 * MB.
 */
export interface ServerImage extends Pick<
  image.Image,
  'id' | 'status' | 'minDisk' | 'minRam' | 'properties'
> {
  /** 0 if the image has no data yet. */
  readonly size: number;
}

/** Finds an image that is visible to the actor. */
export async function findImage(context: Context, id: string): Promise<ServerImage | undefined> {
  const found = await image.visibleImage(context, id);
  if (!found) return undefined;
  const { status, size, minDisk, minRam, properties } = found;
  return { id: found.id, status, size: size ?? 0, minDisk, minRam, properties };
}

/** The properties of the image with an id or, if there is only one, a name. */
export async function propertiesOfImage(
  context: Context,
  idOrName: string,
): Promise<Readonly<Record<string, string>> | undefined> {
  const [byId] = await image.findImages(context, { id: idOrName });
  if (byId) return byId.properties;
  const [only, ...others] = await image.findImages(context, { name: idOrName });
  return others.length ? undefined : only?.properties;
}

/**
 * The fields of a new image of a server's disk. If the server belongs to another project, the image
 * is shared with that project.
 */
export interface SnapshotFields {
  readonly name: string;
  readonly projectId: string;
  /** The project of the server; by default, the project of the image. */
  readonly serverProjectId?: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly minDisk: number;
  readonly minRam: number;
}

/**
 * Creates the image of a server's disk, in the status `queued`: it has no data yet.
 * @returns its id
 */
export const createSnapshot = async (context: Context, fields: SnapshotFields): Promise<string> =>
  share(context, await createQueued(context, 'qcow2', fields), fields);

function createQueued(
  context: Context,
  diskFormat: string,
  fields: SnapshotFields,
): Promise<image.Image> {
  const { projectId, serverProjectId = projectId, ...own } = fields;
  const visibility = serverProjectId === projectId ? 'private' : 'shared';
  return image.createImage(context, {
    ...own,
    containerFormat: 'bare',
    diskFormat,
    owner: projectId,
    visibility,
  });
}

/** Shares the image of another project's server with that project. @returns the id of the image */
async function share(
  context: Context,
  created: image.Image,
  { projectId, serverProjectId = projectId }: SnapshotFields,
): Promise<string> {
  if (serverProjectId !== projectId) await image.createMember(context, created, serverProjectId);
  return created.id;
}

/** Stores the data of a queued image; does nothing if the image has been deleted meanwhile. */
export async function storeSnapshotData(context: Context, id: string): Promise<void> {
  const [found] = await image.findImages(elevated(context), { id });
  if (found?.status !== 'queued') return;
  // The time makes the data of two snapshots differ.
  const data = Buffer.concat([
    image.emptyQcow2(found.minDisk * 1024 ** 3),
    Buffer.from(`${context.now}`),
  ]);
  await image.storeData(context, found, data);
}

/**
 * Creates an active image without data, which consists only of its properties. Upstream:
 * force_activate in image/glance.py.
 * @returns its id
 */
export async function createEmptyImage(context: Context, fields: SnapshotFields): Promise<string> {
  const queued = await createQueued(context, 'raw', fields);
  return share(context, await image.storeData(context, queued, Buffer.alloc(0)), fields);
}

/** Creates the image of a server's disk with its data. @returns its id */
export async function createActiveSnapshot(
  context: Context,
  fields: SnapshotFields,
): Promise<string> {
  const id = await createSnapshot(context, fields);
  await storeSnapshotData(context, id);
  return id;
}

/** Deletes the images of a server's disk that have no data yet. */
export async function deleteQueuedSnapshots(context: Context, server: string): Promise<void> {
  const images = await image.imagesWith(context, { instance_uuid: server });
  for (const { id } of images.filter(({ status }) => status === 'queued'))
    await deleteSnapshot(context, id);
}

/** Lists the ids of a server's backups of a type, newest first. */
export async function backupsOf(context: Context, server: string, type: string): Promise<string[]> {
  const properties = { image_type: 'backup', backup_type: type, instance_uuid: server };
  return (await image.imagesWith(context, properties)).map(({ id }) => id);
}

/** Deletes the image of a server's disk, unless it is already deleted, or protected. */
export async function deleteSnapshot(context: Context, id: string): Promise<void> {
  const [found] = await image.findImages(elevated(context), { id });
  if (found && !found.isProtected) await image.deleteImage(context, found);
}
