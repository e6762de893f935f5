// The client of Glance in a pod: the images that servers make.
import type { Context } from '../../../kernel/model.ts';
import type { Pod } from '../model.ts';
import { PodFailure, requestPod, type AdminReply, type AdminRequest } from './pods.ts';

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

const pathOf = (id: string): string => `/v2/images/${encodeURIComponent(id)}`;

/** Sends a request to Glance. @throws PodFailure for a refusal other than 404 */
async function ask(context: Context, pod: Pod, request: AdminRequest): Promise<AdminReply> {
  const reply = await requestPod(context, pod, 'image', request);
  if (reply.status < 300 || reply.status === 404) return reply;
  throw new PodFailure(String(reply.body['message']));
}

/** Lists the images of a project that were made of a server, newest first. @throws PodFailure */
export async function listServerImages(
  context: Context,
  pod: Pod,
  { serverId, projectId }: { readonly serverId: string; readonly projectId: string },
): Promise<ImageInPod[]> {
  const images: ImageInPod[] = [];
  for (let marker: string | undefined; ;) {
    const { body } = await ask(context, pod, {
      method: 'GET',
      path: '/v2/images',
      query: [
        ['instance_uuid', serverId],
        ['owner', projectId],
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

/** Reads the data of an image; undefined if it is gone. @throws PodFailure */
export async function readImageBytes(
  context: Context,
  pod: Pod,
  id: string,
): Promise<Buffer | undefined> {
  const { status, bytes } = await ask(context, pod, { method: 'GET', path: `${pathOf(id)}/file` });
  return status === 404 ? undefined : (bytes ?? Buffer.alloc(0));
}

/** Deletes an image, unless it is gone. @throws PodFailure */
export async function deleteImage(context: Context, pod: Pod, id: string): Promise<void> {
  await ask(context, pod, { method: 'DELETE', path: pathOf(id) });
}
