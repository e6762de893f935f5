// Imports of images: from the staging area, from web servers, and to other stores. Upstream:
// import_image in glance/api/v2/images.py.
import { badRequest } from '../../../kernel/errors.ts';
import { isObject, type Json } from '../../../kernel/json.ts';
import { reply } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import { pythonRepr } from '../../../kernel/oslo/python-repr.ts';
import type { ImageCall } from '../call.ts';
import { checkImportable, startImport } from '../domain/imports/requests.ts';
import { loadSettings } from '../domain/settings.ts';
import { authorize } from '../policy.ts';
import { storeHeader } from './store-header.ts';
import { imageOf } from './subject.ts';

/** POST /v2/images/{image_id}/import */
export async function create(call: ImageCall): Promise<Reply> {
  const body: Json = isObject(call.body as Json) ? (call.body as Json) : {};
  const { method, stores, all_stores: allStores = false } = body as Record<string, Json>;
  if (method === undefined) throw badRequest("Import request requires a 'method' field.");
  const { name, uri } = isObject(method) ? method : ({} as Record<string, Json>);
  if (name === undefined) throw badRequest("Import request requires a 'name' field.");
  const { enabledImportMethods } = await loadSettings(call);
  const known = enabledImportMethods.find((one) => one === name);
  if (!known)
    throw badRequest(
      `Unknown import method name '${typeof name === 'string' ? name : pythonRepr(name)}'.`,
    );
  for (const flag of ['all_stores_must_succeed', 'all_stores'])
    if (typeof ((body as Record<string, Json>)[flag] ?? false) !== 'boolean')
      throw badRequest(`'${flag}' must be boolean value only`);
  if (stores !== undefined && !isTexts(stores))
    throw badRequest("'stores' must be a list of the names of stores");
  const image = await imageOf(call);
  checkImportable(image, known);
  authorize(call, known === 'copy-image' ? 'copy_image' : 'modify_image', image);
  await startImport(call, image, {
    method: known,
    uri,
    stores,
    header: storeHeader(call),
    allStores: allStores === true,
    body: body as object,
    requestId: call.requestId,
  });
  return reply(202);
}

const isTexts = (value: Json): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');
