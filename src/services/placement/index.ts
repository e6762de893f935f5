// The Placement service: what resource providers have, and which consumers use it.
import { authenticate, enforcePolicy, negotiate, requireJsonType } from '../../kernel/http/steps.ts';
import { tellPlacement } from './faults.ts';
import { placementPolicy } from './policy.ts';
import { placementRoutes } from './routes.ts';
import { seedPlacement } from './seed.ts';
import {
  contractAfter, enforceUsagesPolicy, requireAccept, requireAggregatesTypes, requireConsumerUuid, requireContentType, requireProvider,
} from './steps.ts'; // prettier-ignore
import { placementVersions, type PlacementVersion } from './versions.ts';
import type { Card } from '../../kernel/model.ts';

export * from './internal.ts';

export const placement: Card<PlacementVersion> = {
  name: 'placement',
  type: 'placement',
  description: 'Placement',
  prefix: '/placement',
  home: 'region',
  versions: placementVersions,
  routes: placementRoutes,
  policy: placementPolicy,
  before: [authenticate((call) => call.path === '/'), negotiate, requireContentType, requireAggregatesTypes],
  checks: [
    requireJsonType,
    requireAccept,
    enforcePolicy,
    enforceUsagesPolicy,
    contractAfter(requireProvider, requireConsumerUuid),
  ],
  tell: tellPlacement,
  headers: ({ at }): Record<string, string> =>
    at ? { 'openstack-api-version': `placement ${at.name}`, vary: 'openstack-api-version' } : {},
  bodyLimit: 64 * 1024 * 1024,
  seed: seedPlacement,
};
