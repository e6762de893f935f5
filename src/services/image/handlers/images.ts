// Images: list, show, create, update, delete. Upstream: glance/api/v2/images.py.
import { forbidden, unsupportedMedia } from '../../../kernel/errors.ts';
import { created, noContent, ok } from '../../../kernel/http/reply.ts';
import { mediaType } from '../../../kernel/http/steps.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ImageCall } from '../call.ts';
import { PatchedImage, patchDrafts, readChanges } from '../domain/changes.ts';
import { changeImage, checkPatch, createImage, listImages, removeImage } from '../domain/images.ts';
import { loadSettings, pageLimitsOf } from '../domain/settings.ts';
import { disallowed, isField, readOnlyAtCreation } from '../domain/names.ts';
import { newImageOf } from '../domain/new-image.ts';
import { storeNames } from '../domain/stores.ts';
import { notAuthorized } from '../errors.ts';
import { authorize, authorizeVisibility, may } from '../policy.ts';
import { imagesView, imageView } from '../views/images.ts';
import { readListQuery } from './list-query.ts';
import { checkSchema } from './schema-check.ts';
import { imageOf } from './subject.ts';

/** GET /v2/images */
export async function list(call: ImageCall): Promise<Reply> {
  const request = readListQuery(call.query, await pageLimitsOf(call));
  if (!may(call, 'get_images', { owner: call.actor.projectId ?? null, visibility: 'private' }))
    throw forbidden(notAuthorized('get_images'));
  const images = await listImages(call, request);
  const visible = images.filter((image) => may(call, 'get_image', image));
  return ok(imagesView(call.query, visible, images.length === request.limit));
}

/** GET /v2/images/{image_id} */
export async function show(call: ImageCall): Promise<Reply> {
  const image = await imageOf(call);
  authorize(call, 'get_image', image);
  return ok(imageView(image));
}

type Fields = Readonly<Record<string, unknown>>;

/** POST /v2/images */
export async function create(call: ImageCall): Promise<Reply> {
  const refused = disallowed.find((name) => Object.hasOwn(Object(call.body) as object, name));
  if (refused) throw forbidden(`Attribute '${refused}' is read-only.`);
  await checkSchema(call, call.body);
  const fields = newImageOf(call.actor.projectId ?? null, call.body as Fields);
  const { owner, visibility = 'private' } = fields;
  if (!may(call, 'add_image', { owner, visibility }))
    throw forbidden(
      owner === (call.actor.projectId ?? null)
        ? notAuthorized('add_image')
        : `You are not permitted to create images owned by '${String(owner)}'`,
    );
  authorizeVisibility(call, { owner, visibility }, visibility);
  refuseReadOnly(call.body as Fields);
  const image = await createImage(call, fields);
  const { enabledImportMethods: methods } = await loadSettings(call);
  return created(imageView(image), {
    location: `${call.origin}${call.prefix}/v2/images/${image.id}`,
    ...(methods.length ? { 'openstack-image-import-methods': methods.join(',') } : {}),
    'openstack-image-store-ids': (await storeNames(call)).join(','),
  });
}

/** @throws 403 for a field that only the service may set */
function refuseReadOnly(body: Fields): void {
  const readOnly = readOnlyAtCreation.find((name) => Object.hasOwn(body, name));
  if (readOnly) throw forbidden(`Attribute '${readOnly}' is read-only.`);
  if (Object.hasOwn(body, 'locations')) throw forbidden("Attribute 'locations' is reserved.");
}

/** Whether a change is of a property, for which the schema allows any text. */
const isTextProperty = (name: string, value: unknown): boolean =>
  typeof value === 'string' && !isField(name) && name !== 'locations';

/** PATCH /v2/images/{image_id} */
export async function update(call: ImageCall): Promise<Reply> {
  const type = mediaType(call) ?? '';
  const draft = Object.hasOwn(patchDrafts, type) ? patchDrafts[type] : undefined;
  if (!draft) {
    const allowed = Object.keys(patchDrafts).join(', ');
    throw unsupportedMedia(`Image PATCH expects Content-Type one of: ${allowed}`, {
      headers: { 'accept-patch': allowed },
    });
  }
  const changes = readChanges(call.body, draft);
  await checkPatch(call, call.params['image_id']!, changes);
  for (const { op, name, value } of changes)
    if (op !== 'remove' && !isTextProperty(name, value))
      await checkSchema(call, { [name]: name === 'locations' && op === 'add' ? [value] : value });
  const before = await imageOf(call);
  const patched = new PatchedImage(before);
  // Policy sees each change on the image that results from the previous changes.
  for (const change of changes) {
    if (change.name === 'visibility') authorizeVisibility(call, patched.target, change.value);
    authorize(call, 'modify_image', patched.target);
    patched.apply(change, call.actor);
  }
  return ok(imageView(changes.length ? await changeImage(call, before, patched.image) : before));
}

/** DELETE /v2/images/{image_id} */
export async function remove(call: ImageCall): Promise<Reply> {
  const image = await imageOf(call, (id) => `Failed to find image ${id} to delete`);
  authorize(call, 'delete_image', image);
  await removeImage(call, image);
  return noContent();
}
