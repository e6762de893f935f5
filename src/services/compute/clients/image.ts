// What Compute asks of Image: the images that servers start from, and the images of servers' disks.
import { STATUS_CODES } from 'node:http';
import type { ApiError } from '../../../kernel/errors.ts';
import type { ServiceRequest } from '../../../kernel/http/call-service.ts';
import type { Context } from '../../../kernel/model.ts';
import { elevated } from '../../../kernel/context.ts';
import * as image from '../../image/index.ts';
import { askAs, type Rewording } from './client.ts';

/** Asks Image as the actor of the work would. @throws Fault */
export const askImage = <T>(
  context: Context,
  request: ServiceRequest,
  rewording?: Rewording,
): Promise<T> => askAs(context, image.image, request, rewording);

/** A refusal of Image in the words of its client. Upstream: glanceclient/exc.py. */
export const imageSays = ({ status, message }: ApiError): string =>
  `HTTP ${status} ${STATUS_CODES[status]}: ${message}`;

/** An image, as far as servers care. Sizes: `size` in bytes, `minDisk` in GB, `minRam` in MB. */
export interface ServerImage {
  readonly id: string;
  readonly status: string;
  readonly size: number;
  readonly minDisk: number;
  readonly minRam: number;
  readonly properties: Readonly<Record<string, string>>;
}

/** The image, where the actor of the work may see it. */
export async function findImage(context: Context, id: string): Promise<ServerImage | undefined> {
  const found = await image.visibleImage(context, id);
  if (!found) return undefined;
  const { status, size, minDisk, minRam, properties } = found;
  return { id: found.id, status, size: size ?? 0, minDisk, minRam, properties };
}

/**
 * The image of a server's disk that is to be made. Where the server is another project's, it is
 * shared with that one.
 */
export interface SnapshotFields {
  readonly name: string;
  readonly projectId: string;
  /** The project of the server, by default the one that the image is created for. */
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

/** Shares the image of another project's server with that project. @returns the image's id */
async function share(
  context: Context,
  created: image.Image,
  { projectId, serverProjectId = projectId }: SnapshotFields,
): Promise<string> {
  if (serverProjectId !== projectId) await image.createMember(context, created, serverProjectId);
  return created.id;
}

/** Gives a queued image its data; does nothing where the image has been deleted meanwhile. */
export async function storeSnapshotData(context: Context, id: string): Promise<void> {
  const [found] = await image.findImages(elevated(context), { id });
  if (found?.status !== 'queued') return;
  // The time makes two snapshots differ, as two disks do.
  const data = Buffer.concat([
    image.emptyQcow2(found.minDisk * 1024 ** 3),
    Buffer.from(`${context.now}`),
  ]);
  await image.storeData(context, found, data);
}

/**
 * Creates an image that is active without data: what its properties describe is all there is to it.
 * Upstream: force_activate in image/glance.py.
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

/** Deletes the images of a server's disk that are still without data. */
export async function deleteQueuedSnapshots(context: Context, server: string): Promise<void> {
  const images = await image.imagesWith(context, { instance_uuid: server });
  for (const { id } of images.filter(({ status }) => status === 'queued'))
    await deleteSnapshot(context, id);
}

/** The ids of a server's backups of a type, the newest first. */
export async function backupsOf(context: Context, server: string, type: string): Promise<string[]> {
  const properties = { image_type: 'backup', backup_type: type, instance_uuid: server };
  return (await image.imagesWith(context, properties)).map(({ id }) => id);
}

/** Deletes the image of a server's disk, unless it is gone or protected. */
export async function deleteSnapshot(context: Context, id: string): Promise<void> {
  const [found] = await image.findImages(elevated(context), { id });
  if (found && !found.isProtected) await image.deleteImage(context, found);
}
