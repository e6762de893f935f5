// The data of an image: upload and download.
import { noContent, reply } from '../../../kernel/http/reply.ts';
import { badRequest, forbidden, unsupportedMedia } from '../../../kernel/fault.ts';
import { mediaType } from '../../../kernel/http/steps.ts';
import { rangeOf } from '../domain/data.ts';
import { storeData } from '../domain/images.ts';
import { readData } from '../store/data.ts';
import { allow, imageOf, viewerOf } from './subject.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ImageCall } from '../call.ts';

/** PUT /v2/images/{image_id}/file */
export async function upload(call: ImageCall): Promise<Reply> {
  const type = mediaType(call);
  if (type !== 'application/octet-stream')
    throw unsupportedMedia(`Invalid content type ${call.headers['content-type'] ?? 'None'}`);
  const data = call.raw ?? Buffer.alloc(0);
  const told = call.headers['x-openstack-image-size'];
  if (told !== undefined && !/^\s*[+-]?\d+\s*$/.test(String(told)))
    throw badRequest('Invalid or missing image size in request headers.');
  const image = await imageOf(call);
  allow(call, 'upload_image', image);
  if (told !== undefined && Number(told) !== data.length)
    throw badRequest(`Expected image size ${Number(told)}, but received ${data.length} bytes.`);
  await storeData(call.db, image, data, call.now);
  return noContent();
}

/** GET /v2/images/{image_id}/file */
export async function download(call: ImageCall): Promise<Reply> {
  const image = await imageOf(call);
  if (image.status === 'deactivated' && !viewerOf(call).isAdmin)
    throw forbidden('The requested image has been deactivated. Image data download is forbidden.');
  allow(call, 'download_image', image);
  if (image.size === null) return noContent();
  const range = rangeOf(call.headers.range, image.size);
  const headers = { 'content-type': 'application/octet-stream', ...(image.checksum ? { 'content-md5': image.checksum } : {}) };
  if (!range) return reply(200, await readData(call.db, image.id), headers);
  const contentRange = `bytes ${range.start}-${range.end - 1}/${image.size}`;
  return reply(206, await readData(call.db, image.id, range.start, range.end), { ...headers, 'content-range': contentRange });
}
