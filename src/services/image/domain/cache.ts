// The image cache: images that have been downloaded, or that an administrator has asked for. The
// data itself is in the database anyway. Upstream: glance/image_cache and
// glance/api/v2/cached_images.py.
import { notFound } from '../../../kernel/errors.ts';
import { schedule } from '../../../kernel/jobs/queue.ts';
import { latencyOf } from '../../../kernel/latency.ts';
import type { Context } from '../../../kernel/model.ts';
import type { CachedImage, Image } from '../model.ts';
import { cache, countHit } from '../store/cache.ts';
import { findImage } from '../store/images.ts';
import { loadSettings } from './settings.ts';

/** The job that caches a queued image. */
export const cacheKind = 'image.cached';

/** @throws 404 if images are not cached */
export async function checkCacheEnabled(context: Context): Promise<void> {
  if (!(await loadSettings(context)).imageCache)
    throw notFound('Caching via API is not supported at this site.');
}

/** Counts a download, and caches the image if it is not cached yet. */
export async function recordDownload({ db, now }: Context, image: Image): Promise<void> {
  if (!(await loadSettings({ db })).imageCache || image.status !== 'active') return;
  const { id: imageId } = image;
  if (!(await countHit(db, imageId, now))) await store({ db, now }, image);
}

/** Puts an image into the cache. */
const store = (
  { db, now }: Pick<Context, 'db' | 'now'>,
  { id: imageId, size }: Image,
): Promise<void> =>
  cache.upsert(db, [
    { imageId, isQueued: false, hits: 0, size: size ?? 0, lastAccessed: now, lastModified: now },
  ]);

/** Lists the cache: images in it, and images in the queue, oldest first. */
export async function listCache({
  db,
}: Context): Promise<{ cached: CachedImage[]; queued: CachedImage[] }> {
  const all = await cache.list(db, { sort: ['lastModified'] });
  return {
    cached: all.filter(({ isQueued }) => !isQueued),
    queued: all.filter(({ isQueued }) => isQueued),
  };
}

/** Queues an image for the cache. One that is there stays there. */
export async function queueImage(context: Context, { id: imageId }: Image): Promise<void> {
  const { db, now } = context;
  if (await cache.exists(db, { imageId })) return;
  await cache.ensure(db, [
    { imageId, isQueued: true, hits: 0, size: 0, lastAccessed: now, lastModified: now },
  ]);
  const dueAt = now + latencyOf(context, 'image.cache');
  await schedule(db, { dueAt, kind: cacheKind, subject: imageId });
}

/** Moves an image from the queue into the cache. */
export async function cacheQueued(context: Context, imageId: string): Promise<void> {
  if (!(await cache.exists(context.db, { imageId, isQueued: true }))) return;
  const image = await findImage(context.db, imageId);
  if (image?.status === 'active') await store(context, image);
  else await cache.remove(context.db, { imageId });
}

/** Whether an image is in the cache or in its queue. */
export const isCached = ({ db }: Context, imageId: string): Promise<boolean> =>
  cache.exists(db, { imageId });

/** Removes an image from the cache and its queue. */
export async function uncache({ db }: Context, imageId: string): Promise<void> {
  await cache.remove(db, { imageId });
}

/** Empties the cache, its queue, or both. */
export async function clearCache({ db }: Context, target: 'cache' | 'queue' | ''): Promise<void> {
  await cache.remove(db, target === '' ? {} : { isQueued: target === 'queue' });
}

/** Removes the images that were used least recently, until the cache has its maximum size. */
export async function pruneCache(context: Context): Promise<{ images: number; bytes: number }> {
  const { db } = context;
  const { imageCacheMaxSize } = await loadSettings(context);
  const { cached } = await listCache(context);
  const sum = (images: readonly CachedImage[]): number =>
    images.reduce((total, { size }) => total + size, 0);
  let remaining = sum(cached);
  const pruned: CachedImage[] = [];
  for (const image of cached.toSorted((one, other) => one.lastAccessed - other.lastAccessed)) {
    if (remaining <= imageCacheMaxSize) break;
    remaining -= image.size;
    pruned.push(image);
  }
  for (const { imageId } of pruned) await cache.remove(db, { imageId });
  return { images: pruned.length, bytes: sum(pruned) };
}
