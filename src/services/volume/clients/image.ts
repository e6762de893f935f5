// What Volume asks of Image: the images that volumes are created from, and those that volumes are
// uploaded to.
import type { Context } from '../../../kernel/model.ts';
import * as image from '../../image/index.ts';

export type { Image, NewImage } from '../../image/index.ts';

/** The image that the actor sees; undefined where there is none. */
export const findImage = (context: Context, id: string): Promise<image.Image | undefined> =>
  image.visibleImage(context, id);

/** The images of that name that the actor sees, at most two. */
export const findImagesNamed = (context: Context, name: string): Promise<readonly image.Image[]> =>
  image.findImages(context, { name });

/**
 * Creates an active image of a blank disk, with its size in bytes.
 * @returns its id @throws 400, 413
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
