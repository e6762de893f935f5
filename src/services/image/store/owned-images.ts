// All images of some projects: lists and deletes them.
import { deleteWhere, valuesWhere } from '../../../kernel/db/owned-rows.ts';
import type { Db } from '../../../kernel/db/database.ts';
import type { Image } from '../model.ts';
import { selectImages } from './images.ts';

/** Deletes the images, even protected ones, and the projects' memberships. @returns their ids */
export async function deleteImagesOf(db: Db, projectIds: readonly string[]): Promise<string[]> {
  const ids = await valuesWhere(db, 'image_images', 'owner', projectIds);
  for (const table of ['image_data', 'image_members', 'image_tags', 'image_properties'])
    await deleteWhere(db, table, 'image_id', ids);
  await deleteWhere(db, 'image_images', 'id', ids);
  await deleteWhere(db, 'image_members', 'member', projectIds);
  await deleteWhere(db, 'image_cache', 'image_id', ids);
  await deleteWhere(db, 'image_tasks', 'owner', projectIds);
  return ids;
}

/** What limits count of an image. */
export type OwnedImage = Pick<Image, 'size' | 'status' | 'locations' | 'properties'>;

/** Lists all images of a project. */
export const imagesOwnedBy = (db: Db, projectId: string): Promise<readonly OwnedImage[]> =>
  selectImages(db, {
    actor: { projectId, isAdmin: true },
    memberStatus: 'all',
    visibility: 'all',
    conditions: [{ column: 'owner', operator: '=', value: projectId }],
    properties: {},
    tags: [],
    sort: [{ column: 'id', direction: 'asc' }],
    after: undefined,
    limit: Number.MAX_SAFE_INTEGER,
  });
