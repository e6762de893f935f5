// What Volume asks of Image: the images that volumes are created from, and those that volumes are uploaded to.
import type { Work } from '../../../kernel/model.ts';
import * as image from '../../image/index.ts';

export type { Image, NewImage } from '../../image/index.ts';

/** The image that the actor sees; undefined where there is none. */
export const findImage = (work: Work, id: string): Promise<image.Image | undefined> => image.visibleImage(work, id);

/** The images of that name that the actor sees, at most two. */
export const findImagesNamed = (work: Work, name: string): Promise<readonly image.Image[]> => image.findImages(work, { name });

/** Creates an active image of a blank disk, with its size in bytes. @returns its id @throws 400, 413 */
export async function createBlankImage(work: Work, fields: image.NewImage, size: number): Promise<string> {
  const created = await image.createImage(work, fields);
  await image.storeBlank(work, created, size);
  return created.id;
}
