// Calls of Image: finds the images that volumes are created from, and creates those that volumes
// are uploaded to.
import { ApiError } from '../../../kernel/errors.ts';
import type { Context } from '../../../kernel/model.ts';
import * as image from '../../image/index.ts';

export type { Image, NewImage } from '../../image/index.ts';

/** Finds an image that the actor may see. */
export const findImage = (context: Context, id: string): Promise<image.Image | undefined> =>
  image.visibleImage(context, id);

/** Finds images by name among those that the actor may see, at most two. */
export const findImagesNamed = (context: Context, name: string): Promise<readonly image.Image[]> =>
  image.findImages(context, { name });

/** A new image, and whether its data was stored. */
export interface BlankImage {
  readonly id: string;
  readonly isStored: boolean;
}

/**
 * Creates an active image of a blank disk. `size` is in bytes. If an image must not be that large,
 * the new image is deleted, or stays queued if it is protected.
 * @throws 400, 413
 */
export async function createBlankImage(
  context: Context,
  fields: image.NewImage,
  size: number,
): Promise<BlankImage> {
  const created = await image.createImage(context, fields);
  const { id } = created;
  try {
    await image.storeBlank(context, created, size);
    return { id, isStored: true };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 413) throw error;
    if (!created.isProtected) await image.deleteImage(context, created);
    return { id, isStored: false };
  }
}
