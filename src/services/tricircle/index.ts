// The Tricircle service: pods, the bindings of tenants to them, the routings of resources to them,
// and asynchronous jobs.
import { authenticate } from '../../kernel/http/steps.ts';
import { removeRoutings } from './domain/throwaway.ts';
import type { ServiceDefinition } from '../../kernel/model.ts';
import { tricircleControls } from './controls.ts';
import { tricircleSettings } from './domain/settings.ts';
import { applySettings } from './domain/usages.ts';
import { renderTricircleError } from './errors.ts';
import { tricircleJobs } from './jobs.ts';
import { tricircleOptions } from './options.ts';
import { tricirclePolicy } from './policy.ts';
import { tricircleRoutes } from './routes.ts';
import { adaptToReset, otherProfile, podsOfProfile, regionsOfProfile, seedPods } from './seed.ts';
import { dropSuffix, enforceRule, readBody, requireJson } from './steps.ts';
import { tricircleVersions, type TricircleVersion } from './versions.ts';

export * from './internal.ts';

export const tricircle: ServiceDefinition<TricircleVersion> = {
  name: 'tricircle',
  type: 'tricircle',
  // The name in Trio2o, and in Tricircle before October 2016.
  aliases: [{ type: 'Cascading', name: 'trio2o' }],
  description: 'Tricircle',
  prefix: '/tricircle',
  nativePort: 19999,
  database: 'central',
  regions: 'central',
  versions: tricircleVersions,
  routes: tricircleRoutes,
  policy: tricirclePolicy,
  options: tricircleOptions,
  ineffectiveOptions: otherProfile,
  // Every path requires a token, even the list of versions.
  beforeRouting: [authenticate(), dropSuffix],
  beforeHandler: [requireJson, enforceRule, readBody],
  renderError: renderTricircleError,
  bodyLimit: 1_048_576,
  seed: seedPods,
  seedInputs: podsOfProfile,
  afterReset: adaptToReset,
  initialRegions: regionsOfProfile,
  jobs: tricircleJobs,
  controls: tricircleControls,
  settings: tricircleSettings,
  settingsChanged: applySettings,
  catalogPath: '/v1.0',
  throwaway: { remove: removeRoutings },
};
