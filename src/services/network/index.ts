// The Network service: networks, their addresses and ports, routers between them, and what ports let through.
import { authenticate } from '../../kernel/http/steps.ts';
import { tellNetwork } from './faults.ts';
import { networkPolicy } from './policy.ts';
import { networkRoutes } from './routes.ts';
import { seedNetwork } from './seed.ts';
import { plainPath, readBody } from './steps.ts';
import { networkVersions, type NetworkVersion } from './versions.ts';
import type { Card } from '../../kernel/model.ts';

export * from './internal.ts';

export const network: Card<NetworkVersion> = {
  name: 'network',
  type: 'network',
  description: 'Network',
  prefix: '/network',
  home: 'region',
  regions: 'all',
  versions: networkVersions,
  routes: networkRoutes,
  policy: networkPolicy,
  before: [plainPath, authenticate((call) => call.path === '/' || call.path === '/v2.0')],
  checks: [readBody],
  tell: tellNetwork,
  bodyLimit: 1024 * 1024,
  seed: seedNetwork,
};
