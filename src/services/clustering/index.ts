// The Clustering service: clusters of servers, and the policies that check what is done to them.
import { authenticate, enforcePolicy, negotiate } from '../../kernel/http/steps.ts';
import type { ServiceDefinition } from '../../kernel/model.ts';
import type { ClusteringCall } from './call.ts';
import { renderClusteringError } from './errors.ts';
import { regionForked } from './domain/nodes/forked.ts';
import { purge } from './domain/purge.ts';
import { clusteringJobs } from './jobs.ts';
import { clusteringPolicy } from './policy.ts';
import { clusteringRoutes } from './routes.ts';
import { isOpen, readBody, requireHookVersion } from './steps.ts';
import { clusteringVersions, type ClusteringVersion } from './versions.ts';
import { latencies } from './latencies.ts';

export const clustering: ServiceDefinition<ClusteringVersion> = {
  name: 'clustering',
  type: 'clustering',
  description: 'Clustering',
  prefix: '/clustering',
  database: 'region',
  versions: clusteringVersions,
  routes: clusteringRoutes,
  policy: clusteringPolicy,
  // The version comes before the token.
  beforeRouting: [negotiate, requireHookVersion, authenticate(isOpen)],
  beforeHandler: [enforcePolicy, readBody],
  renderError: renderClusteringError,
  headers: (given): Record<string, string> => {
    const { version, isRefused, route } = given as Partial<ClusteringCall>;
    if (!version || isRefused || route?.unversioned) return {};
    return { 'openstack-api-version': `clustering ${version.name}`, vary: 'OpenStack-API-Version' };
  },
  // Upstream: max_json_body_size.
  bodyLimit: 1_048_576,
  // Requests rest on clusters, nodes, policies, profiles and the actions on all of them, which they
  // only read.
  lock: 'clustering',
  latencies,
  jobs: clusteringJobs,
  regionForked,
  purge,
};
