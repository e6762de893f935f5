// Deletes the images and the metadata definitions of a throw-away project.
import type { Context } from '../../../kernel/model.ts';
import type { RemovedCounts, ResourceOwners } from '../../../emulator/projects/hooks.ts';
import { cancelAbout } from '../../../kernel/jobs/queue.ts';
import { deleteNamespacesOf } from '../store/metadefs.ts';
import { deleteImagesOf } from '../store/owned-images.ts';

export async function removeImages(
  { db }: Context,
  { projectIds }: ResourceOwners,
): Promise<RemovedCounts> {
  const ids = await deleteImagesOf(db, projectIds);
  await cancelAbout(db, ids);
  return { images: ids.length, namespaces: await deleteNamespacesOf(db, projectIds) };
}
