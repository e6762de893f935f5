// The data of an image: upload and download.
import { badRequest, forbidden, unsupportedMedia } from '../../../kernel/fault.ts';
import { noContent, reply } from '../../../kernel/http/reply.ts';
import { mediaType } from '../../../kernel/http/steps.ts';
import { Zeros } from '../../../kernel/http/zeros.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ImageCall } from '../call.ts';
import { rangeOf } from '../domain/data.ts';
import { storeData } from '../domain/images.ts';
import { authorize } from '../policy.ts';
import { readData } from '../store/data.ts';
import { imageOf } from './subject.ts';

/** PUT /v2/images/{image_id}/file */
export async function upload(call: ImageCall): Promise<Reply> {
  const type = mediaType(call);
  if (type !== 'application/octet-stream')
    throw unsupportedMedia(`Invalid content type ${call.headers['content-type'] ?? 'None'}`);
  const data = call.raw ?? Buffer.alloc(0);
  const size = call.headers['x-openstack-image-size'];
  if (size !== undefined && !/^\s*[+-]?\d+\s*$/.test(String(size)))
    throw badRequest('Invalid or missing image size in request headers.');
  const image = await imageOf(call);
  authorize(call, 'upload_image', image);
  if (size !== undefined && Number(size) !== data.length)
    throw badRequest(`Expected image size ${Number(size)}, but received ${data.length} bytes.`);
  await storeData(call, image, data);
  return noContent();
}

/** GET /v2/images/{image_id}/file */
export async function download(call: ImageCall): Promise<Reply> {
  const image = await imageOf(call);
  if (image.status === 'deactivated' && !call.actor.isAdmin)
    throw forbidden('The requested image has been deactivated. Image data download is forbidden.');
  authorize(call, 'download_image', image);
  if (image.size === null) return noContent();
  const range = rangeOf(call.headers.range, image.size);
  const headers = { 'content-type': 'application/octet-stream', ...(image.checksum ? { 'content-md5': image.checksum } : {}) };
  if (!range) return reply(200, await bytesOf(call, image.id, 0, image.size), headers);
  const contentRange = `bytes ${range.start}-${range.end - 1}/${image.size}`;
  return reply(206, await bytesOf(call, image.id, range.start, range.end), { ...headers, 'content-range': contentRange });
}

/** The bytes from `start` up to, and without, `end`: of an image that has a size and no data, as many zeros. */
async function bytesOf({ db }: ImageCall, id: string, start: number, end: number): Promise<Buffer | Zeros> {
  const data = await readData(db, id, start, end);
  return data.length < end - start ? new Zeros(end - start) : data;
}
