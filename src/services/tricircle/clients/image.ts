// The client of Glance in a pod: the images that servers and volumes make, and the copies of the
// central region's images.
import type { Context, ServiceDefinition } from '../../../kernel/model.ts';
import { image } from '../../image/index.ts';
import type { Pod } from '../model.ts';
import { PodFailure, requestPod, type AdminReply, type AdminRequest } from './pods.ts';

export const imageDefinition = image as ServiceDefinition;

/** An image in a reply of Glance, where its properties are siblings of its own fields. */
export type ImageInPod = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly status: string;
  readonly owner: string | null;
  /** Bytes; null until data is uploaded. */
  readonly size: number | null;
  /** Null for a blank disk, whose data Glance does not have. */
  readonly checksum: string | null;
};

/** Glance of a pod refuses a request. */
export class ImageRefusal extends PodFailure {
  readonly status: number;

  constructor({ status, body }: AdminReply) {
    super(String(body['message']));
    this.status = status;
  }
}

const pathOf = (id: string): string => `/v2/images/${encodeURIComponent(id)}`;

/** Sends a request to Glance. @throws ImageRefusal for a refusal other than 404; PodFailure */
async function ask(context: Context, pod: Pod, request: AdminRequest): Promise<AdminReply> {
  const reply = await requestPod(context, pod, 'image', request);
  if (reply.status < 300 || reply.status === 404) return reply;
  throw new ImageRefusal(reply);
}

/** Sends a request to Glance about an image that exists. @throws ImageRefusal, PodFailure */
async function write(context: Context, pod: Pod, request: AdminRequest): Promise<void> {
  const reply = await ask(context, pod, request);
  if (reply.status === 404) throw new ImageRefusal(reply);
}

/** Lists the images of a pod that match a query, newest first. @throws PodFailure */
export async function listImages(
  context: Context,
  pod: Pod,
  query: Readonly<Record<string, string>>,
): Promise<ImageInPod[]> {
  const images: ImageInPod[] = [];
  for (let marker: string | undefined; ;) {
    const { body } = await ask(context, pod, {
      method: 'GET',
      path: '/v2/images',
      query: [
        ...Object.entries(query),
        ['limit', '1000'],
        ...(marker === undefined ? [] : [['marker', marker] as const]),
      ],
    });
    const page = (body['images'] ?? []) as ImageInPod[];
    images.push(...page);
    if (body['next'] === undefined || !page.length) return images;
    marker = page.at(-1)!.id;
  }
}

/** Reads an image; undefined if there is none with that id. @throws PodFailure */
export async function readImage(
  context: Context,
  pod: Pod,
  id: string,
): Promise<ImageInPod | undefined> {
  const { status, body } = await ask(context, pod, { method: 'GET', path: pathOf(id) });
  return status === 404 ? undefined : (body as ImageInPod);
}

/** Creates an image without data. @throws ImageRefusal, PodFailure */
export const createImage = (context: Context, pod: Pod, fields: object): Promise<void> =>
  write(context, pod, { method: 'POST', path: '/v2/images', body: fields });

/** Uploads the data of an image. @throws ImageRefusal, PodFailure */
export const uploadData = (context: Context, pod: Pod, id: string, data: Buffer): Promise<void> =>
  write(context, pod, {
    method: 'PUT',
    path: `${pathOf(id)}/file`,
    bytes: data,
  });

/** An operation of a JSON patch. */
export interface ImageChange {
  readonly op: 'add' | 'remove' | 'replace';
  readonly path: string;
  readonly value?: unknown;
}

/** Changes fields and properties of an image. @throws ImageRefusal, PodFailure */
export const changeImage = (
  context: Context,
  pod: Pod,
  id: string,
  changes: readonly ImageChange[],
): Promise<void> =>
  write(context, pod, {
    method: 'PATCH',
    path: pathOf(id),
    body: changes,
    type: 'application/openstack-images-v2.1-json-patch',
  });

/** Deactivates or reactivates an image. @throws ImageRefusal, PodFailure */
export const actOnImage = (
  context: Context,
  pod: Pod,
  id: string,
  verb: 'deactivate' | 'reactivate',
): Promise<void> => write(context, pod, { method: 'POST', path: `${pathOf(id)}/actions/${verb}` });

/** Lists the projects that an image is shared with. @throws ImageRefusal, PodFailure */
export async function listMembers(context: Context, pod: Pod, id: string): Promise<string[]> {
  const { body } = await ask(context, pod, { method: 'GET', path: `${pathOf(id)}/members` });
  return ((body['members'] ?? []) as { member_id: string }[]).map(
    ({ member_id: member }) => member,
  );
}

/** Shares an image with a project. @throws ImageRefusal, PodFailure */
export const addMember = (context: Context, pod: Pod, id: string, member: string): Promise<void> =>
  write(context, pod, { method: 'POST', path: `${pathOf(id)}/members`, body: { member } });

/** Stops sharing an image with a project. @throws ImageRefusal, PodFailure */
export async function removeMember(
  context: Context,
  pod: Pod,
  id: string,
  member: string,
): Promise<void> {
  const path = `${pathOf(id)}/members/${encodeURIComponent(member)}`;
  await ask(context, pod, { method: 'DELETE', path });
}

/** Reads the data of an image; undefined if it is gone. @throws PodFailure */
export async function readImageBytes(
  context: Context,
  pod: Pod,
  id: string,
): Promise<Buffer | undefined> {
  const { status, bytes } = await ask(context, pod, { method: 'GET', path: `${pathOf(id)}/file` });
  return status === 404 ? undefined : (bytes ?? Buffer.alloc(0));
}

/** Deletes an image, unless it is gone, even if it is protected. @throws PodFailure */
export async function deleteImage(context: Context, pod: Pod, id: string): Promise<void> {
  const request = { method: 'DELETE', path: pathOf(id) };
  try {
    await ask(context, pod, request);
  } catch (error) {
    if (!(error instanceof ImageRefusal) || error.status !== 403) throw error;
    await changeImage(context, pod, id, [{ op: 'replace', path: '/protected', value: false }]);
    await ask(context, pod, request);
  }
}
