// A request of Clustering, and the lines of its table.
import type { Call, Route } from '../../kernel/model.ts';
import type { ClusteringVersion } from './versions.ts';

export interface ClusteringRoute extends Route<ClusteringVersion> {
  /**
   * Upstream's controller method needs a body: without one it is refused before anything of it is
   * looked at.
   */
  readonly needsBody?: boolean;
  /** The answer has no headers of the version: a list of versions, or nothing. */
  readonly unversioned?: boolean;
}

export interface ClusteringCall extends Call<ClusteringVersion> {
  route: ClusteringRoute;
  /** The request was refused: error answers have no version headers. */
  isRefused?: boolean;
}
