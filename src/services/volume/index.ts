// The definition of the Volume service (Cinder), which provides block storage.
import { authenticate } from '../../kernel/http/steps.ts';
import { auditVolume } from './domain/audit.ts';
import { captureVolume } from './domain/capture/capture.ts';
import { throwawayHooks } from './domain/throwaway.ts';
import type { ServiceDefinition } from '../../kernel/model.ts';
import { quotaLock } from './domain/quotas.ts';
import { volumeSettings } from './domain/settings.ts';
import { volumeDeliveries } from './domain/volumes/server-events.ts';
import { renderVolumeError } from './errors.ts';
import { volumeJobs } from './jobs.ts';
import { volumeOptions } from './options.ts';
import { volumePolicy } from './policy.ts';
import { volumeRoutes } from './routes.ts';
import { seedVolume } from './seed.ts';
import {
  requestedVersionOf,
  checkContract,
  checkProject,
  negotiateVolume,
  extractProject,
} from './steps.ts';
import { volumeVersions, type VolumeVersion } from './versions.ts';

export * from './internal.ts';

export const volume: ServiceDefinition<VolumeVersion> = {
  name: 'volume',
  type: 'volumev3',
  // DevStack also registers the service under its official type.
  aliases: [{ type: 'block-storage', name: 'cinder' }],
  description: 'Block storage',
  prefix: '/volume',
  nativePort: 8776,
  slashes: 'folded',
  database: 'region',
  versions: volumeVersions,
  routes: volumeRoutes,
  policy: volumePolicy,
  options: volumeOptions,
  settings: volumeSettings,
  requestedVersion: requestedVersionOf,
  beforeRouting: [authenticate((call) => call.path === '/'), negotiateVolume, extractProject],
  beforeHandler: [checkProject, checkContract],
  renderError: renderVolumeError,
  headers: ({ version, path }): Record<string, string> =>
    version && path !== '/'
      ? { 'openstack-api-version': `volume ${version.name}`, vary: 'openstack-api-version' }
      : {},
  lock: quotaLock,
  // Upstream: the default of oslo_middleware's sizelimit.
  bodyLimit: 114_688,
  seed: seedVolume,
  capture: captureVolume,
  jobs: volumeJobs,
  deliveries: volumeDeliveries,
  catalogPath: '/v3/$(project_id)s',
  throwaway: throwawayHooks,
  audit: auditVolume,
};
