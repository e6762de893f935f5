// Image's door: what other services of the region ask of it, in their own transaction. The actor of the work is who looks.
import type { Work } from '../../kernel/model.ts';
import * as images from './domain/images.ts';
import type { Image } from './domain/records.ts';

export type { NewImage } from './domain/images.ts';
export type { Image } from './domain/records.ts';
export { cirrosId } from './seed.ts';

/** The image, where the actor may see it. */
export const visibleImage = ({ db, actor }: Work, id: string): Promise<Image | undefined> => images.visibleImage(db, actor, id);

/** The images with that id or name that the actor may see. */
export const findImages = ({ db, actor }: Work, by: { id: string } | { name: string }): Promise<readonly Image[]> =>
  images.findImages(db, actor, by);

/** The images with all of these properties, the newest first, whoever owns them. */
export const imagesWith = ({ db }: Work, properties: Readonly<Record<string, string>>): Promise<readonly Image[]> =>
  images.imagesWith(db, properties);

/** Makes an image that waits for its data. @throws 400, 409, 413 */
export const createImage = ({ db, now }: Work, fields: images.NewImage): Promise<Image> => images.createImage(db, fields, now);

/** Gives an image its data. @throws 400, 409 */
export const storeData = ({ db, now }: Work, image: Image, data: Buffer): Promise<Image> =>
  images.storeData(db, image, data, now);

/** Deletes an image. @throws 403 where it is protected */
export const deleteImage = ({ db }: Work, image: Image): Promise<void> => images.removeImage(db, image);
