// The Volume service: block storage volumes that exist apart from servers.
import { authenticate } from '../../kernel/http/steps.ts';
import type { Card } from '../../kernel/model.ts';
import { quotaTurn } from './domain/quotas.ts';
import { tellVolume } from './faults.ts';
import { volumeJobs } from './jobs.ts';
import { volumePolicy } from './policy.ts';
import { volumeRoutes } from './routes.ts';
import { seedVolume } from './seed.ts';
import { askedVersion, checkContract, checkProject, negotiateVolume, takeProject } from './steps.ts';
import { volumeVersions, type VolumeVersion } from './versions.ts';

export * from './internal.ts';

export const volume: Card<VolumeVersion> = {
  name: 'volume',
  type: 'volumev3',
  // As DevStack registers it under the type of its API's name as well.
  aliases: [{ type: 'block-storage', name: 'cinder' }],
  description: 'Block storage',
  prefix: '/volume',
  home: 'region',
  versions: volumeVersions,
  routes: volumeRoutes,
  policy: volumePolicy,
  askedVersion,
  before: [authenticate((call) => call.path === '/'), negotiateVolume, takeProject],
  checks: [checkProject, checkContract],
  tell: tellVolume,
  headers: ({ at, path }): Record<string, string> =>
    at && path !== '/' ? { 'openstack-api-version': `volume ${at.name}`, vary: 'openstack-api-version' } : {},
  turn: quotaTurn,
  // Upstream: oslo_middleware's sizelimit.
  bodyLimit: 114_688,
  seed: seedVolume,
  jobs: volumeJobs,
  catalogPath: '/v3/$(project_id)s',
};
