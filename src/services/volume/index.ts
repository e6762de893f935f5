// The Volume service: block storage volumes that exist apart from servers.
import { authenticate } from '../../kernel/http/steps.ts';
import type { ServiceDefinition } from '../../kernel/model.ts';
import { quotaLock } from './domain/quotas.ts';
import { renderVolumeError } from './errors.ts';
import { volumeJobs } from './jobs.ts';
import { volumeOptions } from './options.ts';
import { volumePolicy } from './policy.ts';
import { volumeRoutes } from './routes.ts';
import { seedVolume } from './seed.ts';
import {
  askedVersion,
  checkContract,
  checkProject,
  negotiateVolume,
  takeProject,
} from './steps.ts';
import { volumeVersions, type VolumeVersion } from './versions.ts';

export * from './internal.ts';

export const volume: ServiceDefinition<VolumeVersion> = {
  name: 'volume',
  type: 'volumev3',
  // As DevStack registers it under the type of its API's name as well.
  aliases: [{ type: 'block-storage', name: 'cinder' }],
  description: 'Block storage',
  prefix: '/volume',
  database: 'region',
  versions: volumeVersions,
  routes: volumeRoutes,
  policy: volumePolicy,
  options: volumeOptions,
  requestedVersion: askedVersion,
  beforeRouting: [authenticate((call) => call.path === '/'), negotiateVolume, takeProject],
  beforeHandler: [checkProject, checkContract],
  renderError: renderVolumeError,
  headers: ({ version, path }): Record<string, string> =>
    version && path !== '/'
      ? { 'openstack-api-version': `volume ${version.name}`, vary: 'openstack-api-version' }
      : {},
  lock: quotaLock,
  // Upstream: oslo_middleware's sizelimit.
  bodyLimit: 114_688,
  seed: seedVolume,
  jobs: volumeJobs,
  catalogPath: '/v3/$(project_id)s',
};
