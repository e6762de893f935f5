// The locations of images. Upstream: add_location, get_locations and delete_from_store in
// glance/api/v2/images.py.
import { conflict } from '../../../kernel/errors.ts';
import { noContent, ok, reply } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ImageCall } from '../call.ts';
import { addLocation, checkLocatable, type ExpectedHash } from '../domain/imports/locations.ts';
import { removeFromStore, storeNames, urlOf } from '../domain/stores.ts';
import { authorize } from '../policy.ts';
import { checkBody } from './schema-check.ts';
import { imageOf } from './subject.ts';

/** GET /v2/images/{image_id}/locations, for other services */
export async function list(call: ImageCall): Promise<Reply> {
  const image = await imageOf(call);
  authorize(call, 'fetch_image_location', image);
  return ok(
    image.locations.map((location) => ({
      url: urlOf(location, image),
      metadata: { store: location.store },
    })),
  );
}

interface LocationBody {
  readonly url: string;
  readonly validation_data?: ExpectedHash;
}

/** POST /v2/images/{image_id}/locations */
export async function create(call: ImageCall): Promise<Reply> {
  await checkBody(call, 'location', call.route.method, call.route.path, call.body);
  const { url, validation_data: hash = {} } = call.body as LocationBody;
  const image = await imageOf(call);
  checkLocatable(image);
  authorize(call, 'add_image_location', image);
  await addLocation(call, image, { url, hash, requestId: call.requestId });
  return reply(202);
}

/** DELETE /v2/stores/{store_id}/{image_id} */
export async function removeStore(call: ImageCall): Promise<Reply> {
  const store = call.params['store_id']!;
  if (!(await storeNames(call)).includes(store))
    throw conflict(`The selected store ${store} is not available on this node.`);
  const image = await imageOf(call, (id) => `Failed to find image ${id}`);
  authorize(call, 'get_image_location', image);
  authorize(call, 'delete_image_location', image);
  await removeFromStore(call, image, store);
  return noContent();
}
