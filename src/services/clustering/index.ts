// The Clustering service: clusters of servers, and policies that check the actions on them.
import { authenticate, enforcePolicy, negotiate } from '../../kernel/http/steps.ts';
import { auditClustering } from './domain/audit.ts';
import { captureClustering } from './domain/capture.ts';
import { removeClusters } from './domain/throwaway.ts';
import type { ServiceDefinition } from '../../kernel/model.ts';
import type { ClusteringCall } from './call.ts';
import { clusteringControls } from './controls.ts';
import { renderClusteringError } from './errors.ts';
import { latencies } from './domain/engine/kinds.ts';
import { clusteringSettings } from './domain/settings.ts';
import { regionForked } from './domain/nodes/forked.ts';
import { clusteringJobs } from './jobs.ts';
import { clusteringPolicy } from './policy.ts';
import { clusteringRoutes } from './routes.ts';
import { isPublic, readBody, requireHookVersion } from './steps.ts';
import { purgeHistory } from './store/purge.ts';
import { clusteringVersions, type ClusteringVersion } from './versions.ts';

export const clustering: ServiceDefinition<ClusteringVersion> = {
  name: 'clustering',
  type: 'clustering',
  description: 'Clustering',
  prefix: '/clustering',
  nativePort: 8777,
  slashes: 'folded at the start',
  database: 'region',
  versions: clusteringVersions,
  routes: clusteringRoutes,
  policy: clusteringPolicy,
  // Upstream negotiates the version before it authenticates.
  beforeRouting: [negotiate, requireHookVersion, authenticate(isPublic)],
  beforeHandler: [enforcePolicy, readBody],
  renderError: renderClusteringError,
  headers: (given): Record<string, string> => {
    const { version, isRefused, route } = given as Partial<ClusteringCall>;
    if (!version || isRefused || route?.unversioned) return {};
    return { 'openstack-api-version': `clustering ${version.name}`, vary: 'OpenStack-API-Version' };
  },
  // Upstream: max_json_body_size.
  bodyLimit: 1_048_576,
  // Writes depend on clusters, nodes, policies, profiles and actions that they only read, so that
  // they hold this lock (write skew).
  lock: 'clustering',
  latencies,
  jobs: clusteringJobs,
  controls: clusteringControls,
  settings: clusteringSettings,
  regionForked,
  purge: ({ db }, before) => purgeHistory(db, before),
  throwaway: { remove: removeClusters },
  audit: auditClustering,
  capture: captureClustering,
};
