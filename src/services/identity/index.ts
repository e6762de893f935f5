// The Identity service (Keystone): users, projects, roles, tokens and the catalog.
import { identityControls } from './controls.ts';
import { renderIdentityError } from './errors.ts';
import { hashSecrets } from './handlers/secrets.ts';
import { addRegionToCatalog, removeRegionFromCatalog } from './domain/catalog/seeded-catalog.ts';
import { identitySettings } from './domain/settings.ts';
import { identityOptions } from './options.ts';
import { identityPolicy } from './policy.ts';
import { identityRoutes } from './routes.ts';
import { readSeedInputs, saveEpochs, seedIdentity } from './seed.ts';
import {
  authenticateIfPresent,
  checkContract,
  readBody,
  requireCaller,
  stripSlashes,
} from './steps.ts';
import { identityVersions, type IdentityVersion } from './versions.ts';
import { captureIdentity } from './domain/capture/capture.ts';
import { throwawayHooks } from './domain/resource/throwaway.ts';
import type { ServiceDefinition } from '../../kernel/model.ts';

export { authenticator } from './authenticator.ts';
export * from './internal.ts';

export const identity: ServiceDefinition<IdentityVersion> = {
  name: 'identity',
  type: 'identity',
  description: 'Identity',
  prefix: '/identity',
  nativePort: 5000,
  slashes: 'redirected',
  database: 'central',
  versions: identityVersions,
  routes: identityRoutes,
  policy: identityPolicy,
  settings: identitySettings,
  options: identityOptions,
  beforeRouting: [stripSlashes, authenticateIfPresent, readBody],
  beforeHandler: [checkContract, requireCaller, hashSecrets],
  renderError: renderIdentityError,
  headers: () => ({ vary: 'X-Auth-Token' }),
  // Upstream: oslo_middleware's sizelimit.
  bodyLimit: 114_688,
  seed: seedIdentity,
  seedInputs: readSeedInputs,
  beforeReset: saveEpochs,
  regionOpened: addRegionToCatalog,
  regionClosed: removeRegionFromCatalog,
  throwaway: throwawayHooks,
  capture: captureIdentity,
  controls: identityControls,
};
