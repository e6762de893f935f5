// The Image service: what servers start from, and what is made of them.
import { badRequest } from '../../kernel/fault.ts';
import { authenticate, readJson } from '../../kernel/http/steps.ts';
import { isVersioned, tellImage } from './faults.ts';
import { imagePolicy } from './policy.ts';
import { imageRoutes } from './routes.ts';
import { seedImage } from './seed.ts';
import { imageVersions, type ImageVersion } from './versions.ts';
import type { Step, Card } from '../../kernel/model.ts';
import type { ImageRoute } from './call.ts';

export type { Image, Viewer } from './domain/records.ts';
export { createImage, findImages, imagesWith, removeImage, storeData, visibleImage } from './domain/images.ts';
export { cirrosId } from './seed.ts';

/** Reads a body where one is wanted, whatever type it says it has; what it must be is checked where it is used, as upstream does. */
const readBody: Step = (call) => {
  if (!(call.route as ImageRoute).reads) return;
  if (!call.raw?.length) throw badRequest('Body expected in request.');
  call.body = readJson(call.raw, () => badRequest('Malformed JSON in request body.'));
};

export const image: Card<ImageVersion> = {
  name: 'image',
  type: 'image',
  description: 'Image',
  prefix: '/image',
  home: 'region',
  versions: imageVersions,
  routes: imageRoutes,
  policy: imagePolicy,
  before: [authenticate((call) => !isVersioned(call.path))],
  checks: [readBody],
  tell: tellImage,
  // The largest image that can be uploaded: data is kept in the database.
  bodyLimit: 64 * 1024 * 1024,
  seed: seedImage,
};
