// Image's door: what other services of the region may ask of it, in the transaction of their own
// work.
export {
  /** The image that the actor sees. */
  visibleImage,
  /** The images with an id or a name that the actor sees, at most two. */
  findImages,
  /** All images with these properties, newest first, whoever the actor is. */
  imagesWith,
  /** Creates an image in the status `queued`. @throws 400, 409, 413 */
  createImage,
  /** Stores the data of a queued image, which becomes active. @throws 400, 409 */
  storeData,
  /**
   * Makes a queued image the image of a blank disk of that many bytes, which becomes active.
   * @throws 400, 409
   */
  storeBlank,
  /** @throws 403 for a protected image */
  removeImage as deleteImage,
} from './domain/images.ts';
export {
  /** Shares an image with a project, which may accept it. @throws 409, 413 */
  createMember,
} from './domain/members.ts';
export {
  /** An empty qcow2 disk of that many bytes, as data for an image. */
  emptyQcow2,
} from './domain/formats.ts';
export type { Image, NewImage } from './model.ts';
export { cirrosId } from './seed.ts';
