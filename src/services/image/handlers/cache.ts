// The image cache, for administrators. Upstream: glance/api/v2/cached_images.py.
import { badRequest, conflict, notFound } from '../../../kernel/errors.ts';
import { noContent, ok, reply } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import { SECOND } from '../../../kernel/clock.ts';
import type { ImageCall } from '../call.ts';
import {
  checkCacheEnabled,
  clearCache,
  isCached,
  listCache,
  pruneCache,
  queueImage,
  uncache,
} from '../domain/cache.ts';
import { visibleImage } from '../domain/images.ts';
import { authorizeRule } from '../policy.ts';
import { imageOf } from './subject.ts';

const missing = (id: string): string => `Image ${id} not found.`;

/** @throws 403, 404 */
async function enforce(call: ImageCall, rule: string): Promise<void> {
  authorizeRule(call, rule);
  await checkCacheEnabled(call);
}

/** GET /v2/cache */
export async function show(call: ImageCall): Promise<Reply> {
  await enforce(call, 'cache_list');
  const { cached, queued } = await listCache(call);
  return ok({
    cached_images: cached.map(({ imageId, hits, lastAccessed, lastModified, size }) => ({
      image_id: imageId,
      hits,
      last_accessed: lastAccessed / SECOND,
      last_modified: lastModified / SECOND,
      size,
    })),
    queued_images: queued.map(({ imageId }) => imageId),
  });
}

/** DELETE /v2/cache */
export async function clear(call: ImageCall): Promise<Reply> {
  await enforce(call, 'cache_delete');
  const target = String(call.headers['x-image-cache-clear-target'] ?? '').toLowerCase();
  if (target !== '' && target !== 'cache' && target !== 'queue')
    throw badRequest(
      "If provided 'x-image-cache-clear-target' must be 'cache', 'queue' or empty string.",
    );
  await clearCache(call, target);
  return noContent();
}

/** PUT /v2/cache/{image_id} */
export async function create(call: ImageCall): Promise<Reply> {
  const image = await imageOf(call, missing);
  await enforce(call, 'cache_image');
  if (image.status !== 'active')
    throw badRequest('Only images with status active can be targeted for queueing');
  await queueImage(call, image);
  return reply(202);
}

/** DELETE /v2/cache/{image_id} */
export async function remove(call: ImageCall): Promise<Reply> {
  const id = call.params['image_id']!;
  if (!(await visibleImage(call, id)) && !(await isCached(call, id))) throw notFound(missing(id));
  await enforce(call, 'cache_delete');
  await uncache(call, id);
  return noContent();
}

/** GET /v2/cache/nodes/{image_id}. The cache belongs to one node, as with upstream's default. */
export async function listNodes(call: ImageCall): Promise<Reply> {
  await enforce(call, 'list_cached_nodes');
  throw conflict('Centralized caching is not enabled');
}

/** POST /v2/cache/clean. It removes nothing, because this cache never holds incomplete images. */
export async function clean(call: ImageCall): Promise<Reply> {
  await enforce(call, 'cache_clean');
  return reply(200);
}

/** POST /v2/cache/prune */
export async function prune(call: ImageCall): Promise<Reply> {
  await enforce(call, 'cache_prune');
  const { images, bytes } = await pruneCache(call);
  return ok({ total_files_pruned: images, total_bytes_pruned: bytes });
}
