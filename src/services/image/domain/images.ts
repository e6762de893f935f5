// The rules of images: who sees them, how they are made, and what may become of them.
import type { Micros } from '../../../kernel/clock.ts';
import { isDuplicate } from '../../../kernel/db/errors.ts';
import { badRequest, conflict, forbidden, tooLarge, type Fault } from '../../../kernel/fault.ts';
import { newUuid } from '../../../kernel/ids.ts';
import { writeData } from '../store/data.ts';
import { deleteImage, findImage, insertImage, listImages, updateImage } from '../store/images.ts';
import { findMember } from '../store/members.ts';
import { digestsOf, virtualSizeOf } from './data.ts';
import { blankImage, type Image, type Viewer } from './records.ts';
import type { Db } from '../../../kernel/db/database.ts';

const mostProperties = 128;
const mostTags = 128;
const mostInteger = 2_147_483_647;

/** The image, where the viewer may know of it; undefined where there is none, or it is somebody else's. */
export async function visibleImage(db: Db, viewer: Viewer, id: string): Promise<Image | undefined> {
  const image = await findImage(db, id);
  if (!image) return undefined;
  const { projectId, isAdmin } = viewer;
  if (isAdmin || image.owner === null || image.owner === projectId) return image;
  if (image.visibility === 'public' || image.visibility === 'community') return image;
  if (image.visibility !== 'shared' || projectId === undefined) return undefined;
  return (await findMember(db, id, projectId)) ? image : undefined;
}

/** The images of that id or name that somebody sees, as other services look for them. */
export async function findImages(db: Db, viewer: Viewer, by: { id: string } | { name: string }): Promise<readonly Image[]> {
  if ('id' in by) {
    const image = await visibleImage(db, viewer, by.id);
    return image ? [image] : [];
  }
  return listImages(db, {
    viewer,
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

/** All images with these properties, the newest first. */
export const imagesWith = (db: Db, properties: Readonly<Record<string, string>>): Promise<readonly Image[]> =>
  listImages(db, {
    viewer: { projectId: undefined, isAdmin: true },
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

const limitExceeded = (what: string, attempted: number, maximum: number): Fault =>
  tooLarge(`The limit has been exceeded on the number of allowed image ${what}. Attempted: ${attempted}, Maximum: ${maximum}`);

/** What no schema says. @throws 400, 413 */
export function checkImage(image: Image): Image {
  const properties = Object.keys(image.properties);
  if (properties.some((name) => name.length > 255))
    throw badRequest('Custom property should not be greater than 255 characters.');
  if (properties.length > mostProperties) throw limitExceeded('properties', properties.length, mostProperties);
  if (image.tags.length > mostTags) throw limitExceeded('tags', image.tags.length, mostTags);
  for (const [name, value] of [
    ['min_disk', image.minDisk],
    ['min_ram', image.minRam],
  ] as const) {
    if (value < 0) throw badRequest(`Invalid value '${value}' for parameter '${name}': Cannot be a negative value`);
    if (value > mostInteger) throw badRequest(`Invalid value '${value}' for parameter '${name}': Value is too large`);
  }
  return image;
}

export type NewImage = Partial<Omit<Image, 'createdAt' | 'updatedAt' | 'revision'>> & Pick<Image, 'owner'>;

/** Makes an image that waits for its data. @throws 400, 409, 413 */
export async function createImage(db: Db, fields: NewImage, now: Micros): Promise<Image> {
  const image = checkImage({ ...blankImage, id: newUuid(), ...fields, createdAt: now, updatedAt: now });
  try {
    await insertImage(db, image);
  } catch (error) {
    throw isDuplicate(error) ? conflict(`Image ID ${image.id} already exists!`) : error;
  }
  return image;
}

/** Gives a queued image its data, and makes it active. @throws 400, 409 */
export async function storeData(db: Db, image: Image, data: Buffer, now: Micros): Promise<Image> {
  if (image.status !== 'queued') throw conflict(`Image status transition from ${image.status} to saving is not allowed`);
  const missing = [...(image.diskFormat ? [] : ['disk_format']), ...(image.containerFormat ? [] : ['container_format'])];
  if (missing.length)
    throw badRequest(`${missing.length > 1 ? 'Properties' : 'Property'} ${missing.join(', ')} must be set prior to saving data.`);
  const virtualSize = virtualSizeOf(image.diskFormat!, data);
  const active = { ...image, status: 'active', size: data.length, virtualSize, ...digestsOf(data) };
  const saved = await updateImage(db, image, active, now);
  await writeData(db, image.id, data);
  return saved;
}

/** Takes an active image out of use, or puts it back. @throws 403 */
export async function switchImage(db: Db, image: Image, verb: 'deactivate' | 'reactivate', now: Micros): Promise<void> {
  const [from, to] = verb === 'deactivate' ? ['active', 'deactivated'] : ['deactivated', 'active'];
  if (image.status === to) return;
  if (image.status !== from) throw forbidden(`Not allowed to ${verb} image in status '${image.status}'`);
  await updateImage(db, image, { ...image, status: to! }, now);
}

/** Deletes an image that is not protected. @throws 403 */
export async function removeImage(db: Db, image: Image): Promise<void> {
  if (image.isProtected) throw forbidden(`Image ${image.id} is protected and cannot be deleted.`);
  await deleteImage(db, image.id);
}
