// The Placement service: inventories of resource providers, and their allocations to consumers.
import {
  authenticate,
  enforcePolicy,
  negotiate,
  requireJsonType,
} from '../../kernel/http/steps.ts';
import { renderPlacementError } from './errors.ts';
import { placementControls } from './controls.ts';
import { placementOptions } from './options.ts';
import { placementPolicy } from './policy.ts';
import { placementRoutes } from './routes.ts';
import { seedPlacement } from './seed.ts';
import {
  contractAfter,
  enforceUsagesPolicy,
  requireAccept,
  requireAggregatesTypes,
  requireConsumerUuid,
  requireContentType,
  requireProvider,
} from './steps.ts';
import { placementVersions, type PlacementVersion } from './versions.ts';
import { capturePlacement } from './domain/capture.ts';
import { auditPlacement } from './domain/audit.ts';
import { removeAllocations } from './domain/throwaway.ts';
import { resourceUse } from './domain/use.ts';
import type { ServiceDefinition } from '../../kernel/model.ts';

export * from './internal.ts';

export const placement: ServiceDefinition<PlacementVersion> = {
  name: 'placement',
  type: 'placement',
  description: 'Placement',
  prefix: '/placement',
  nativePort: 8778,
  database: 'region',
  versions: placementVersions,
  routes: placementRoutes,
  policy: placementPolicy,
  options: placementOptions,
  beforeRouting: [
    authenticate((call) => call.path === '/'),
    negotiate,
    requireContentType,
    requireAggregatesTypes,
  ],
  beforeHandler: [
    requireJsonType,
    requireAccept,
    enforcePolicy,
    enforceUsagesPolicy,
    contractAfter(requireProvider, requireConsumerUuid),
  ],
  renderError: renderPlacementError,
  headers: ({ version }): Record<string, string> =>
    version
      ? { 'openstack-api-version': `placement ${version.name}`, vary: 'openstack-api-version' }
      : {},
  bodyLimit: 64 * 1024 * 1024,
  controls: placementControls,
  seed: seedPlacement,
  throwaway: { remove: removeAllocations },
  audit: auditPlacement,
  capture: capturePlacement,
  resourceUse,
};
