// The metadata of images, which are their properties, until 2.38. Upstream:
// api/openstack/compute/image_metadata.py.
import { noContent, ok } from '../../../../kernel/http/reply.ts';
import { badRequest, forbidden, notFound } from '../../../../kernel/errors.ts';
import { callImage, imageErrorMessage, type GlanceImage } from '../../clients/image.ts';
import type { ComputeCall } from '../../call.ts';
import { patchOf, propertiesOf, type Properties } from '../../domain/images.ts';
import { exceeds, limitsOf } from '../../domain/quotas.ts';
import type { ErrorTranslations } from '../../clients/client.ts';
import type { Reply } from '../../../../kernel/model.ts';

/** Translates the errors of the Image service to those of Nova. */
function imageErrors(call: ComputeCall): ErrorTranslations {
  const id = call.params['image_id']!;
  return {
    400: (error) =>
      badRequest(`Request of image ${id} got BadRequest response: ${imageErrorMessage(error)}`),
    403: () => forbidden(`Not authorized for image ${id}.`),
    404: () => notFound('Image not found.'),
  };
}

const pathOf = (call: ComputeCall): string =>
  `/v2/images/${encodeURIComponent(call.params['image_id']!)}`;

/** The properties of the image in the path. @throws 404 */
async function propertiesOfPath(call: ComputeCall): Promise<Properties> {
  return propertiesOf(
    await callImage<GlanceImage>(call, { method: 'GET', path: pathOf(call) }, imageErrors(call)),
  );
}

/** Replaces the properties of the image, and returns them. @throws 400, 403, 404 */
async function replaceProperties(
  call: ComputeCall,
  before: Properties,
  after: Properties,
): Promise<Properties> {
  const request = {
    method: 'PATCH',
    path: pathOf(call),
    type: 'application/openstack-images-v2.1-json-patch',
    body: patchOf(before, after),
  };
  return propertiesOf(await callImage<GlanceImage>(call, request, imageErrors(call)));
}

/** @throws 403 if the number of items exceeds the quota */
async function checkQuota({ db, caller }: ComputeCall, metadata: Properties): Promise<void> {
  const { metadata_items: limit } = await limitsOf(db, caller.projectId ?? '', caller.userId);
  if (exceeds(limit, 0, Object.keys(metadata).length))
    throw forbidden('Image metadata limit exceeded');
}

/** GET /images/{image_id}/metadata */
export async function list(call: ComputeCall): Promise<Reply> {
  return ok({ metadata: await propertiesOfPath(call) });
}

/** GET /images/{image_id}/metadata/{id} */
export async function show(call: ComputeCall): Promise<Reply> {
  const metadata = await propertiesOfPath(call);
  const id = call.params['id']!;
  if (!Object.hasOwn(metadata, id)) throw notFound('The resource could not be found.');
  return ok({ meta: { [id]: metadata[id] } });
}

/** POST /images/{image_id}/metadata */
export async function create(call: ComputeCall): Promise<Reply> {
  const before = await propertiesOfPath(call);
  const after = { ...before, ...(call.body as { metadata: Properties }).metadata };
  await checkQuota(call, after);
  return ok({ metadata: await replaceProperties(call, before, after) });
}

/** PUT /images/{image_id}/metadata/{id} */
export async function update(call: ComputeCall): Promise<Reply> {
  const { meta } = call.body as { meta: Properties };
  const id = call.params['id']!;
  if (!Object.hasOwn(meta, id)) throw badRequest('Request body and URI mismatch');
  const before = await propertiesOfPath(call);
  const after = { ...before, [id]: meta[id] };
  await checkQuota(call, after);
  await replaceProperties(call, before, after);
  return ok({ meta });
}

/** PUT /images/{image_id}/metadata */
export async function replace(call: ComputeCall): Promise<Reply> {
  const before = await propertiesOfPath(call);
  const { metadata } = call.body as { metadata: Properties };
  await checkQuota(call, metadata);
  await replaceProperties(call, before, metadata);
  return ok({ metadata });
}

/** DELETE /images/{image_id}/metadata/{id} */
export async function remove(call: ComputeCall): Promise<Reply> {
  const before = await propertiesOfPath(call);
  const id = call.params['id']!;
  if (!Object.hasOwn(before, id)) throw notFound('Invalid metadata key');
  await replaceProperties(
    call,
    before,
    Object.fromEntries(Object.entries(before).filter(([name]) => name !== id)),
  );
  return noContent();
}
