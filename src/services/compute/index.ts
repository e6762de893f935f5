// The definition of the Compute service: servers, flavors and hosts.
import { authenticate } from '../../kernel/http/steps.ts';
import { renderComputeError } from './errors.ts';
import { computeOptions } from './options.ts';
import { computePolicy } from './policy/index.ts';
import { computeRoutes } from './routes/index.ts';
import { readHostsFile, seedCompute } from './seed.ts';
import { computeJobs } from './jobs.ts';
import {
  checkContract,
  enforceRoutePolicy,
  isAboveApi,
  requestedComputeVersion,
  negotiateCompute,
  stripProject,
  readBody,
  requireKnownMediaType,
  requireOwnProject,
} from './steps.ts';
import { computeVersions, type ComputeVersion } from './versions.ts';
import { failureDomains, rehearseFailure } from './domain/moves/rehearsal.ts';
import { captureCompute } from './domain/capture/capture.ts';
import { auditCompute } from './domain/audit/audit.ts';
import { throwawayHooks } from './domain/lifecycle/throwaway.ts';
import type { ServiceDefinition } from '../../kernel/model.ts';
import { addHostsTo } from './handlers/hosts/controls.ts';
import { computeControls } from './routes/controls.ts';
import { announceHosts } from './domain/hosts/hosts.ts';
import { computeSettings } from './domain/settings.ts';
import { purgeDeleted } from './domain/lifecycle/purge.ts';
import { applySettings } from './domain/lifecycle/apply-settings.ts';
import { requireActionInSpan } from '../../kernel/http/actions.ts';
import { describeConsumers } from './domain/servers/consumers.ts';
import { latencies } from './domain/servers/latencies.ts';

export * from './internal.ts';

export const compute: ServiceDefinition<ComputeVersion> = {
  name: 'compute',
  type: 'compute',
  description: 'Compute',
  prefix: '/compute',
  nativePort: 8774,
  slashes: 'folded',
  database: 'region',
  versions: computeVersions,
  routes: computeRoutes,
  policy: computePolicy,
  options: computeOptions,
  requestedVersion: requestedComputeVersion,
  beforeRouting: [stripProject, authenticate(isAboveApi), negotiateCompute],
  // Nova validates the body before it enforces the policy.
  beforeHandler: [
    requireKnownMediaType,
    readBody,
    requireOwnProject,
    requireActionInSpan,
    checkContract,
    enforceRoutePolicy,
  ],
  renderError: renderComputeError,
  headers: ({ version, route, requestId }): Record<string, string> => ({
    'x-compute-request-id': requestId,
    ...(version && !route?.open
      ? {
          'openstack-api-version': `compute ${version.name}`,
          'x-openstack-nova-api-version': version.name,
          vary: 'OpenStack-API-Version, X-OpenStack-Nova-API-Version',
        }
      : {}),
  }),
  // Upstream: oslo_middleware's sizelimit.
  bodyLimit: 114_688,
  seed: seedCompute,
  seedInputs: readHostsFile,
  // Placement and Network lose the providers and agents of Compute's hosts when they are reset.
  afterReset: announceHosts,
  purge: purgeDeleted,
  describeConsumers,
  controls: computeControls,
  addHosts: addHostsTo,
  jobs: computeJobs,
  settings: computeSettings,
  settingsChanged: applySettings,
  catalogPath: '/v2.1',
  latencies,
  throwaway: throwawayHooks,
  audit: auditCompute,
  capture: captureCompute,
  failureDomains,
  rehearseFailure,
};
