// Requests to import the data of an image. Upstream: import_image in glance/api/v2/images.py.
import { badRequest, conflict, type ApiError } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { pythonRepr } from '../../../../kernel/oslo/python-repr.ts';
import type { Image } from '../../model.ts';
import type { ImportMethod } from '../settings.ts';
import { enforceLimit } from '../limits.ts';
import { requestedStores, type StoreRequest } from '../stores.ts';
import { mayDownload } from './download.ts';
import { checkUnlocked, lockForTask } from './progress.ts';

/** @throws 409 if the image does not have the state that the method needs */
export function checkImportable(image: Image, method: ImportMethod): void {
  const refusal = refusalOf(image, method);
  if (refusal) throw refusal;
}

function refusalOf(
  { status, containerFormat, diskFormat }: Image,
  method: ImportMethod,
): ApiError | undefined {
  if (status === 'active' && method !== 'copy-image')
    return conflict('Image with status active cannot be target for import');
  if (status !== 'active' && method === 'copy-image')
    return conflict('Only images with status active can be targeted for copying');
  if (status !== 'queued' && method === 'web-download')
    return conflict(`Image needs to be in 'queued' state to use '${method}' method`);
  if (status !== 'uploading' && method === 'glance-direct')
    return conflict("Image needs to be staged before 'glance-direct' method can be used");
  if (!containerFormat) return conflict("'container_format' needs to be set before import");
  if (!diskFormat) return conflict("'disk_format' needs to be set before import");
  return undefined;
}

/** A request to import the data of an image. */
export interface ImportRequest extends StoreRequest {
  readonly method: ImportMethod;
  readonly uri: unknown;
  /** The body, which the task shows. */
  readonly body: object;
  readonly requestId: string;
}

/** Begins an import. The handler has checked the image and enforced policy. @throws 400, 409 */
export async function startImport(
  context: Context,
  image: Image,
  request: ImportRequest,
): Promise<void> {
  const { method, uri, body, requestId, allStores } = request;
  await enforceLimit(context, 'image_size_total', 0);
  await checkUnlocked(context, image);
  let stores = await requestedStores(context, request);
  if (method === 'copy-image') {
    const present = image.locations.map(({ store }) => store);
    const repeated = stores.find((store) => present.includes(store));
    if (repeated !== undefined && !allStores)
      throw badRequest(`Image is already present at store '${repeated}'`);
    stores = stores.filter((store) => !present.includes(store));
    if (!stores.length) return;
  }
  if (method === 'web-download' && !(await mayDownload(context, uri)))
    throw badRequest(
      'URI for web-download does not pass filtering: ' +
        (typeof uri === 'string' ? uri : pythonRepr(uri ?? null)),
    );
  await lockForTask(context, image, {
    type: 'api_image_import',
    input: { image_id: image.id, import_req: body, backend: stores },
    requestId,
  });
}
