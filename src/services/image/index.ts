// The Image service: the images that servers boot from, and the snapshots that are made of servers.
import { authenticate } from '../../kernel/http/steps.ts';
import { captureImages } from './domain/capture.ts';
import { removeImages } from './domain/throwaway.ts';
import type { ServiceDefinition } from '../../kernel/model.ts';
import { imageSettings } from './domain/settings.ts';
import { isVersioned, renderImageError } from './errors.ts';
import { imageDeliveries, imageJobs, maxDataSize } from './jobs.ts';
import { imagePolicy } from './policy.ts';
import { imageRoutes } from './routes.ts';
import { seedImage } from './seed.ts';
import { purgeTasks } from './store/tasks.ts';
import { readBody } from './steps.ts';
import { imageVersions, type ImageVersion } from './versions.ts';

export * from './internal.ts';

export const image: ServiceDefinition<ImageVersion> = {
  name: 'image',
  type: 'image',
  description: 'Image',
  prefix: '/image',
  nativePort: 9292,
  slashes: 'folded',
  database: 'region',
  regions: 'all',
  versions: imageVersions,
  routes: imageRoutes,
  policy: imagePolicy,
  settings: imageSettings,
  beforeRouting: [authenticate((call) => !isVersioned(call.path))],
  beforeHandler: [readBody],
  renderError: renderImageError,
  bodyLimit: maxDataSize,
  seed: seedImage,
  purge: ({ db }, before) => purgeTasks(db, before),
  jobs: imageJobs,
  deliveries: imageDeliveries,
  latencies: ['image.import', 'image.cache'],
  capture: captureImages,
  throwaway: { remove: removeImages },
};
