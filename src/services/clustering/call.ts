// A request to Clustering, and its route.
import type { Call, Route } from '../../kernel/model.ts';
import type { ClusteringVersion } from './versions.ts';

export interface ClusteringRoute extends Route<ClusteringVersion> {
  /**
   * Rejects a request without a body, because upstream's controller method has a parameter for it.
   */
  readonly needsBody?: boolean;
  /** The reply has no version headers: it lists versions, or has no body. */
  readonly unversioned?: boolean;
}

export interface ClusteringCall extends Call<ClusteringVersion> {
  route: ClusteringRoute;
  /** The reply is an error, which has no version headers. */
  isRefused?: boolean;
}
