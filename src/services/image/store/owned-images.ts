// Deletes all images of some projects.
import { deleteWhere, valuesWhere } from '../../../kernel/db/owned-rows.ts';
import type { Db } from '../../../kernel/db/database.ts';

/** Deletes the images, even protected ones, and the projects' memberships. @returns their ids */
export async function deleteImagesOf(db: Db, projectIds: readonly string[]): Promise<string[]> {
  const ids = await valuesWhere(db, 'image_images', 'owner', projectIds);
  for (const table of ['image_data', 'image_members', 'image_tags', 'image_properties'])
    await deleteWhere(db, table, 'image_id', ids);
  await deleteWhere(db, 'image_images', 'id', ids);
  await deleteWhere(db, 'image_members', 'member', projectIds);
  return ids;
}
