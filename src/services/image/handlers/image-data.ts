// The data of an image: upload and download.
import { badRequest, forbidden, unsupportedMedia } from '../../../kernel/errors.ts';
import { noContent, reply } from '../../../kernel/http/reply.ts';
import { mediaType } from '../../../kernel/http/steps.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ImageCall } from '../call.ts';
import { rangeOf } from '../domain/data.ts';
import { recordDownload } from '../domain/cache.ts';
import { stageData, storeData } from '../domain/images.ts';
import { authorize } from '../policy.ts';
import { readData } from '../store/data.ts';
import { storeHeader } from './store-header.ts';
import { imageOf } from './subject.ts';

/** The data of a request. @throws 400, 415 */
function dataOf(call: ImageCall): Buffer {
  const type = mediaType(call);
  if (type !== 'application/octet-stream')
    throw unsupportedMedia(`Invalid content type ${call.headers['content-type'] ?? 'None'}`);
  const data = call.raw ?? Buffer.alloc(0);
  const size = call.headers['x-openstack-image-size'];
  if (size !== undefined && !/^\s*[+-]?\d+\s*$/.test(String(size)))
    throw badRequest('Invalid or missing image size in request headers.');
  return data;
}

/** @throws 400 if the data has another size than the header says */
function checkStatedSize(call: ImageCall, data: Buffer): void {
  const size = call.headers['x-openstack-image-size'];
  if (size !== undefined && Number(size) !== data.length)
    throw badRequest(`Expected image size ${Number(size)}, but received ${data.length} bytes.`);
}

/** PUT /v2/images/{image_id}/file */
export async function upload(call: ImageCall): Promise<Reply> {
  const data = dataOf(call);
  const image = await imageOf(call);
  authorize(call, 'upload_image', image);
  checkStatedSize(call, data);
  await storeData(call, image, data, storeHeader(call));
  return noContent();
}

/** PUT /v2/images/{image_id}/stage */
export async function stage(call: ImageCall): Promise<Reply> {
  const data = dataOf(call);
  const image = await imageOf(call);
  authorize(call, 'modify_image', image);
  checkStatedSize(call, data);
  await stageData(call, image, data);
  return noContent();
}

/** GET /v2/images/{image_id}/file */
export async function download(call: ImageCall): Promise<Reply> {
  const image = await imageOf(call);
  if (image.status === 'deactivated' && !call.actor.isAdmin)
    throw forbidden('The requested image has been deactivated. Image data download is forbidden.');
  authorize(call, 'download_image', image);
  if (image.size === null || !image.locations.length) return noContent();
  await recordDownload(call, image);
  const range = rangeOf(call.headers.range, image.size);
  const headers = {
    'content-type': 'application/octet-stream',
    ...(image.checksum ? { 'content-md5': image.checksum } : {}),
  };
  const { start, end } = range ?? { start: 0, end: image.size };
  const data = await readData(call.db, image.id, start, end);
  const contentRange = range ? { 'content-range': `bytes ${start}-${end - 1}/${image.size}` } : {};
  // An image with a size but no data has a blank disk.
  const isBlank = data.length < end - start;
  const length = isBlank ? { 'content-length': String(end - start) } : {};
  return reply(range ? 206 : 200, isBlank ? zeros(end - start) : data, {
    ...headers,
    ...contentRange,
    ...length,
  });
}

/** Generates that many zeros while they are sent. */
async function* zeros(length: number): AsyncGenerator<Buffer> {
  const part = Buffer.alloc(Math.min(length, 1024 * 1024));
  for (let remaining = length; remaining > 0; remaining -= part.length)
    yield part.subarray(0, Math.min(remaining, part.length));
}
