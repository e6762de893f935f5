// The client of Image in the central region: the images that the gateway stores there.
export {
  createImage,
  createMember,
  deleteImage,
  digestsOf,
  emptyQcow2,
  findImages,
  imagesWith,
  imageView,
  isBlankDisk,
  listMembers,
  readData,
  storeBlank,
  storeData,
} from '../../image/index.ts';
export type { Image, NewImage } from '../../image/index.ts';
