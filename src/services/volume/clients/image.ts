// Calls of Image: finds the images that volumes are created from, and creates those that volumes
// are uploaded to.
import type { Context } from '../../../kernel/model.ts';
import * as image from '../../image/index.ts';

export type { Image, NewImage } from '../../image/index.ts';

/** Finds an image that the actor may see. */
export const findImage = (context: Context, id: string): Promise<image.Image | undefined> =>
  image.visibleImage(context, id);

/** Finds images by name among those that the actor may see, at most two. */
export const findImagesNamed = (context: Context, name: string): Promise<readonly image.Image[]> =>
  image.findImages(context, { name });

/**
 * Creates an active image of a blank disk. `size` is in bytes.
 * @returns the id of the image @throws 400, 413
 */
export async function createBlankImage(
  context: Context,
  fields: image.NewImage,
  size: number,
): Promise<string> {
  const created = await image.createImage(context, fields);
  await image.storeBlank(context, created, size);
  return created.id;
}
