// The rules of images: which ones an actor sees, and how they are created, updated and deleted.
import type { Db } from '../../../kernel/db/database.ts';
import { isDuplicate } from '../../../kernel/db/errors.ts';
import {
  badRequest,
  conflict,
  forbidden,
  notFound,
  tooLarge,
  type ApiError,
} from '../../../kernel/errors.ts';
import { newUuid } from '../../../kernel/ids.ts';
import type { Context } from '../../../kernel/model.ts';
import { elevated } from '../../../kernel/context.ts';
import { cache } from '../store/cache.ts';
import { writeData } from '../store/data.ts';
import {
  deleteImage,
  findImage,
  insertImage,
  selectImages,
  updateImage,
  type ImageQuery,
} from '../store/images.ts';
import { findMember } from '../store/members.ts';
import { digestsOfBlank } from './blank-disks.ts';
import { propertiesLeftBy, uniqueTags, type Change } from './changes.ts';
import { digestsOf } from './data.ts';
import { inspect } from './formats.ts';
import { enforceLimit, mebibytes } from './limits.ts';
import { followInPods } from './pods.ts';
import { isOver, loadSettings } from './settings.ts';
import { newLocations } from './stores.ts';
import { blankImage, type Image, type NewImage } from '../model.ts';

const maxInteger = 2_147_483_647;

/**
 * Finds an image that the actor sees. @returns undefined for an unknown image, and for one of
 * another project that is not shared with the actor's
 */
export async function visibleImage({ db, actor }: Context, id: string): Promise<Image | undefined> {
  const image = await findImage(db, id);
  if (!image) return undefined;
  const { projectId, isAdmin } = actor;
  if (isAdmin || image.owner === null || image.owner === projectId) return image;
  if (image.visibility === 'public' || image.visibility === 'community') return image;
  if (image.visibility !== 'shared' || projectId === undefined) return undefined;
  return (await findMember(db, id, projectId)) ? image : undefined;
}

/**
 * Finds the images with an id or name that the actor sees: at most two, enough to notice that a
 * name is not unique.
 */
export async function findImages(
  context: Context,
  by: { id: string } | { name: string },
): Promise<readonly Image[]> {
  if ('id' in by) {
    const image = await visibleImage(context, by.id);
    return image ? [image] : [];
  }
  return selectImages(context.db, {
    actor: context.actor,
    memberStatus: 'accepted',
    visibility: undefined,
    conditions: [
      { column: 'name', operator: '=', value: by.name },
      { column: 'os_hidden', operator: '=', value: 0 },
    ],
    properties: {},
    tags: [],
    sort: [{ column: 'id', direction: 'asc' }],
    after: undefined,
    limit: 2,
  });
}

/** Finds all images with these properties, newest first, regardless of the actor. */
export const imagesWith = (
  context: Context,
  properties: Readonly<Record<string, string>>,
): Promise<readonly Image[]> =>
  selectImages(context.db, {
    actor: elevated(context).actor,
    memberStatus: 'all',
    visibility: 'all',
    conditions: [],
    properties,
    tags: [],
    sort: [
      { column: 'created_at', direction: 'desc' },
      { column: 'id', direction: 'asc' },
    ],
    after: undefined,
    limit: Number.MAX_SAFE_INTEGER,
  });

/** The filters and order of a list request, and the id of the image before the page. */
export interface ListRequest extends Omit<ImageQuery, 'actor' | 'after'> {
  readonly marker: string | undefined;
}

/**
 * Lists the images that the actor sees and that match the request.
 * @throws 400 if the actor does not see the marker's image
 */
export async function listImages(
  context: Context,
  { marker, ...request }: ListRequest,
): Promise<readonly Image[]> {
  const after = marker === undefined ? undefined : await visibleImage(context, marker);
  if (marker !== undefined && !after) throw badRequest(`No image found with ID ${marker}`);
  return selectImages(context.db, { ...request, actor: context.actor, after });
}

const limitMessage = (what: string, attempted: number, maximum: number): string =>
  `The limit has been exceeded on the number of allowed image ${what}. Attempted: ` +
  `${attempted}, Maximum: ${maximum}`;

const limitExceeded = (...limit: Parameters<typeof limitMessage>): ApiError =>
  tooLarge(limitMessage(...limit));

/**
 * Checks a patch before its values are, because it may have very many changes.
 * @throws 413 if it leaves more properties than an image may have, and than this one has
 */
export async function checkPatch(
  context: Context,
  id: string,
  changes: readonly Change[],
): Promise<void> {
  const { imagePropertyQuota: quota } = await loadSettings(context);
  const attempted = propertiesLeftBy(changes);
  if (!isOver(attempted, quota)) return;
  const image = await findImage(context.db, id);
  if (attempted > Object.keys(image?.properties ?? {}).length)
    throw limitExceeded('properties', attempted, quota);
}

/**
 * Checks the limits that the schema does not cover. An image may keep what it has if a quota has
 * been lowered.
 * @returns the image
 * @throws 400, 413
 */
async function checkImage(context: Context, image: Image, before?: Image): Promise<Image> {
  const settings = await loadSettings(context);
  const properties = Object.keys(image.properties);
  if (properties.some((name) => name.length > 255))
    throw badRequest('Custom property should not be greater than 255 characters.');
  const added = properties.some((name) => !before || !Object.hasOwn(before.properties, name));
  if (added && isOver(properties.length, settings.imagePropertyQuota))
    throw limitExceeded('properties', properties.length, settings.imagePropertyQuota);
  if (image.tags !== before?.tags && isOver(image.tags.length, settings.imageTagQuota))
    throw limitExceeded('tags', image.tags.length, settings.imageTagQuota);
  for (const [name, value] of [
    ['min_disk', image.minDisk],
    ['min_ram', image.minRam],
  ] as const) {
    if (value < 0)
      throw badRequest(
        `Invalid value '${value}' for parameter '${name}': Cannot be a negative value`,
      );
    if (value > maxInteger)
      throw badRequest(`Invalid value '${value}' for parameter '${name}': Value is too large`);
  }
  return image;
}

/** Creates an image in the status `queued`. @throws 400, 409, 413 */
export async function createImage(context: Context, fields: NewImage): Promise<Image> {
  const { db, now } = context;
  await enforceLimit(context, 'image_count_total', 1);
  const image = await checkImage(context, {
    ...blankImage,
    id: newUuid(),
    ...fields,
    createdAt: now,
    updatedAt: now,
  });
  try {
    await insertImage(db, image);
  } catch (error) {
    throw isDuplicate(error) ? conflict(`Image ID ${image.id} already exists!`) : error;
  }
  return image;
}

/** Replaces an image that was read by a changed one. @throws 400, 413 */
export async function changeImage(context: Context, before: Image, after: Image): Promise<Image> {
  const image = await checkImage(context, after, before);
  const changed = await updateImage(context.db, before, image, context.now);
  await followInPods(context, changed);
  return changed;
}

/** Adds a tag. @throws 413 */
export async function addTag(context: Context, image: Image, tag: string): Promise<void> {
  const tags = uniqueTags([...image.tags, tag]);
  const { imageTagQuota: quota } = await loadSettings(context);
  if (isOver(tags.length, quota))
    throw tooLarge(
      `Image tag limit exceeded for image ${image.id}: ` +
        `${limitMessage('tags', tags.length, quota)}:`,
    );
  await changeImage(context, image, { ...image, tags });
}

/** Removes a tag. @throws 404 */
export async function removeTag(context: Context, image: Image, tag: string): Promise<void> {
  const tags = image.tags.filter((one) => one !== tag);
  if (tags.length === image.tags.length) throw notFound('');
  await updateImage(context.db, image, { ...image, tags }, context.now);
  await followInPods(context, image);
}

/**
 * Stores the data of a queued image, which becomes active.
 * @param store the store that the request names; the default store if it names none
 * @throws 400, 409, 413, or 415 if the data has another format than the image
 */
export async function storeData(
  context: Context,
  image: Image,
  data: Buffer,
  store?: string,
): Promise<Image> {
  const { db, now } = context;
  await enforceLimit(context, 'image_size_total', mebibytes(data.length));
  const locations = await newLocations(context, store);
  checkStorable(image);
  await enforceLimit(context, 'image_count_uploading', 1);
  await checkSize(db, data.length);
  const virtualSize = inspect(image, data);
  const active = { size: data.length, virtualSize, locations, ...digestsOf(data) };
  const saved = await updateImage(db, image, { ...image, status: 'active', ...active }, now);
  await writeData(db, image.id, data);
  return saved;
}

/**
 * Makes a queued image an active one with a blank disk of that many bytes. It stores no zeros.
 * @throws 400, 409, 413
 */
export async function storeBlank(context: Context, image: Image, size: number): Promise<Image> {
  const { db, now } = context;
  await enforceLimit(context, 'image_size_total', mebibytes(size));
  const locations = await newLocations(context);
  checkStorable(image);
  await checkSize(db, size);
  const active = { size, virtualSize: size, locations, ...digestsOfBlank(size) };
  return updateImage(db, image, { ...image, status: 'active', ...active }, now);
}

/**
 * Puts the data of a queued image into the staging area, from where an import stores it.
 * @throws 409, 413
 */
export async function stageData(context: Context, image: Image, data: Buffer): Promise<void> {
  const { db, now } = context;
  await enforceLimit(context, 'image_stage_total', mebibytes(data.length));
  if (image.status !== 'queued')
    throw conflict(`Image status transition from ${image.status} to uploading is not allowed`);
  await enforceLimit(context, 'image_count_uploading', 1);
  await checkSize(db, data.length);
  await updateImage(db, image, { ...image, status: 'uploading', size: data.length }, now);
  await writeData(db, image.id, data);
}

/** @throws 413 if data is larger than that of an image may be */
export async function checkSize(db: Db, size: number): Promise<void> {
  if (size > (await loadSettings({ db })).imageSizeCap)
    throw tooLarge('The incoming image is too large: The provided image is too large.');
}

/** @throws 400, 409 if the image cannot receive data */
function checkStorable(image: Image): void {
  if (image.status !== 'queued')
    throw conflict(`Image status transition from ${image.status} to saving is not allowed`);
  const missing = [
    ...(image.diskFormat ? [] : ['disk_format']),
    ...(image.containerFormat ? [] : ['container_format']),
  ];
  if (missing.length)
    throw badRequest(
      `${missing.length > 1 ? 'Properties' : 'Property'} ${missing.join(', ')} must be set ` +
        'prior to saving data.',
    );
}

/** Deactivates an active image, or reactivates a deactivated one. @throws 403 */
export async function setActive(
  context: Context,
  image: Image,
  verb: 'deactivate' | 'reactivate',
): Promise<void> {
  const isOff = verb === 'deactivate';
  const [from, to] = isOff
    ? (['active', 'deactivated'] as const)
    : (['deactivated', 'active'] as const);
  if (image.status === to) return;
  if (image.status !== from)
    throw forbidden(`Not allowed to ${verb} image in status '${image.status}'`);
  await updateImage(context.db, image, { ...image, status: to }, context.now);
  await followInPods(context, image);
}

/**
 * Deletes an image with its data, members, tags and properties.
 * @throws 403 for a protected image
 */
export async function removeImage(context: Context, image: Image): Promise<void> {
  if (image.isProtected) throw forbidden(`Image ${image.id} is protected and cannot be deleted.`);
  await deleteImage(context.db, image);
  await cache.remove(context.db, { imageId: image.id });
  await followInPods(context, image);
}
