// The Network service: networks, subnets, ports, routers, floating IPs and security groups.
import { authenticate } from '../../kernel/http/steps.ts';
import { networkSettings } from './domain/settings.ts';
import { reporting } from './changes.ts';
import { networkDeliveries } from './clients/compute.ts';
import { renderNetworkError } from './errors.ts';
import { networkPolicy } from './policy.ts';
import { networkRoutes } from './routes.ts';
import { seedNetwork } from './seed.ts';
import { declaredSpelling, plainPath, readBody } from './steps.ts';
import { networkVersions, type NetworkVersion } from './versions.ts';
import { auditNetwork } from './domain/audit.ts';
import { captureNetwork } from './domain/capture.ts';
import { applySettings } from './domain/apply-settings.ts';
import { throwawayHooks } from './domain/throwaway.ts';
import type { ServiceDefinition } from '../../kernel/model.ts';

export * from './internal.ts';

export const network: ServiceDefinition<NetworkVersion> = {
  name: 'network',
  type: 'network',
  description: 'Network',
  prefix: '/network',
  nativePort: 9696,
  slashes: 'folded',
  database: 'region',
  regions: 'all',
  versions: networkVersions,
  routes: networkRoutes.map(reporting),
  policy: networkPolicy,
  beforeRouting: [
    plainPath,
    declaredSpelling,
    authenticate((call) => call.path === '/' || call.path === '/v2.0'),
  ],
  beforeHandler: [readBody],
  renderError: renderNetworkError,
  bodyLimit: 1024 * 1024,
  seed: seedNetwork,
  capture: captureNetwork,
  deliveries: networkDeliveries,
  settings: networkSettings,
  settingsChanged: applySettings,
  throwaway: throwawayHooks,
  audit: auditNetwork,
};
