// What other services may ask of Image, in the transaction of their own work. The actor's rights count, unless a line says otherwise.
export { createImage, findImages, imagesWith, removeImage as deleteImage, storeData, visibleImage } from './domain/images.ts';
export type { Image, NewImage } from './domain/records.ts';
export { cirrosId } from './seed.ts';
