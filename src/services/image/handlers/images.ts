// Images: list, show, create, update, delete.
import { created, noContent, ok } from '../../../kernel/http/reply.ts';
import { badRequest, forbidden, unsupportedMedia } from '../../../kernel/fault.ts';
import { mediaType } from '../../../kernel/http/steps.ts';
import { changed, patchTypes, readChanges, uniqueTags } from '../domain/changes.ts';
import { checkImage, createImage, removeImage, visibleImage, type NewImage } from '../domain/images.ts';
import { readListQuery } from '../domain/list-query.ts';
import { disallowed, fieldOf, isField, isReserved, readOnlyAtCreation } from '../domain/names.ts';
import { notAuthorized, schemaFault } from '../faults.ts';
import { listImages, updateImage } from '../store/images.ts';
import { imagesView, imageView } from '../views/images.ts';
import { allow, allowVisibility, imageOf, mayWith, viewerOf } from './subject.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ImageCall } from '../call.ts';

/** GET /v2/images */
export async function list(call: ImageCall): Promise<Reply> {
  const { marker, ...asked } = readListQuery(call.query);
  const viewer = viewerOf(call);
  if (!mayWith(call, 'get_images', { owner: viewer.projectId ?? null, visibility: 'private' }))
    throw forbidden(notAuthorized('get_images'));
  const after = marker === undefined ? undefined : await visibleImage(call.db, viewer, marker);
  if (marker !== undefined && !after) throw badRequest(`No image found with ID ${marker}`);
  const images = await listImages(call.db, { ...asked, viewer, after });
  const seen = images.filter((image) => mayWith(call, 'get_image', image));
  return ok(imagesView(call.query, seen, images.length === asked.limit));
}

/** GET /v2/images/{image_id} */
export async function show(call: ImageCall): Promise<Reply> {
  const image = await imageOf(call);
  allow(call, 'get_image', image);
  return ok(imageView(image));
}

type Fields = Readonly<Record<string, unknown>>;

/** POST /v2/images */
export async function create(call: ImageCall): Promise<Reply> {
  const refused = disallowed.find((name) => Object.hasOwn(Object(call.body) as object, name));
  if (refused) throw forbidden(`Attribute '${refused}' is read-only.`);
  await checkSchema(call, call.body);
  const fields = newImage(call, call.body as Fields);
  const { owner, visibility = 'private' } = fields;
  if (!mayWith(call, 'add_image', { owner, visibility }))
    throw forbidden(
      owner === (call.caller?.projectId ?? null)
        ? notAuthorized('add_image')
        : `You are not permitted to create images owned by '${String(owner)}'`,
    );
  allowVisibility(call, { owner, visibility }, visibility);
  refuseReserved(call.body as Fields);
  const image = await createImage(call.db, fields, call.now);
  return created(imageView(image), { location: `${call.origin}${call.prefix}/v2/images/${image.id}` });
}

/** The image that a body describes. */
function newImage(call: ImageCall, body: Fields): NewImage {
  const entries = Object.entries(body);
  const fields = entries.filter(([name]) => isField(name)).map(([name, value]) => [fieldOf[name as keyof typeof fieldOf], value]);
  const others = entries.filter(([name]) => !isField(name) && name !== 'id' && !readOnlyAtCreation.includes(name));
  const reserved = others.find(([name]) => isReserved(name));
  if (reserved) throw forbidden(`Attribute '${reserved[0]}' is reserved.`);
  return {
    owner: call.caller?.projectId ?? null,
    ...(Object.fromEntries(fields) as Partial<NewImage>),
    ...(body['id'] === undefined ? {} : { id: body['id'] as string }),
    tags: uniqueTags((body['tags'] ?? []) as string[]),
    properties: Object.fromEntries(others) as Record<string, string>,
  };
}

/** What only the service itself writes. @throws 403 */
function refuseReserved(body: Fields): void {
  const written = readOnlyAtCreation.find((name) => Object.hasOwn(body, name));
  if (written) throw forbidden(`Attribute '${written}' is read-only.`);
  if (Object.hasOwn(body, 'locations')) throw forbidden("Attribute 'locations' is reserved.");
}

/** Whether an image, or a part of one, is as the contract of its creation has it. @throws 400 */
async function checkSchema(call: ImageCall, body: unknown): Promise<void> {
  const failure = await call.service.contract.operation('POST', '/v2/images', call.at).checkBody(body);
  if (failure) throw schemaFault(failure);
}

/** PATCH /v2/images/{image_id} */
export async function update(call: ImageCall): Promise<Reply> {
  const draft = patchTypes[mediaType(call) ?? ''];
  if (!draft) {
    const allowed = Object.keys(patchTypes).join(', ');
    throw unsupportedMedia(`Image PATCH expects Content-Type one of: ${allowed}`, { headers: { 'accept-patch': allowed } });
  }
  const changes = readChanges(call.body, draft);
  for (const { verb, name, value } of changes)
    if (verb !== 'remove') await checkSchema(call, { [name]: name === 'locations' && verb === 'add' ? [value] : value });
  const before = await imageOf(call);
  const { isAdmin } = viewerOf(call);
  let after = before;
  for (const change of changes) {
    if (change.name === 'visibility') allowVisibility(call, after, change.value);
    allow(call, 'modify_image', after);
    after = changed(after, change, isAdmin);
  }
  if (!changes.length) return ok(imageView(before));
  return ok(imageView(await updateImage(call.db, before, checkImage(after), call.now)));
}

/** DELETE /v2/images/{image_id} */
export async function remove(call: ImageCall): Promise<Reply> {
  const image = await imageOf(call, (id) => `Failed to find image ${id} to delete`);
  allow(call, 'delete_image', image);
  await removeImage(call.db, image);
  return noContent();
}
