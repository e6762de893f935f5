// The internal API of Image: what other services of the region call in their own transactions.
export {
  /** Finds an image that the actor sees. */
  visibleImage,
  /** Finds the images with an id or a name that the actor sees, at most two. */
  findImages,
  /** Finds all images with these properties, newest first, regardless of the actor. */
  imagesWith,
  /** Creates an image in the status `queued`. @throws 400, 409, 413 */
  createImage,
  /** Stores the data of a queued image, which becomes active. @throws 400, 409, 413 */
  storeData,
  /**
   * Makes a queued image an active one with a blank disk of that many bytes.
   * @throws 400, 409, 413
   */
  storeBlank,
  /** @throws 403 for a protected image */
  removeImage as deleteImage,
} from './domain/images.ts';
export {
  /** Shares an image with a project, which may accept it. @throws 409, 413 */
  createMember,
  /** Lists the projects that an image is shared with. */
  listMembers,
} from './domain/members.ts';
export {
  /** Whether an image is a blank disk, which has a size, and no data in the database. */
  isBlankDisk,
} from './domain/blank-disks.ts';
export {
  /** Computes the checksum and the secure hash with upstream's default algorithms. */
  digestsOf,
} from './domain/data.ts';
export {
  /** Reads the data of an image. */
  readData,
} from './store/data.ts';
export {
  /** An image as the API shows it. */
  imageView,
} from './views/images.ts';
export {
  /** An empty qcow2 disk of that many bytes, as data for an image. */
  emptyQcow2,
} from './domain/formats.ts';
export type { Image, NewImage } from './model.ts';
export { cirrosId } from './seed.ts';
