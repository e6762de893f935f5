// Reads the host or the cluster that a request is about. Upstream: get_cluster_host in
// cinder/api/common.py.
import type { VolumeCall } from '../../call.ts';
import { invalidInput } from '../../domain/errors.ts';

export interface HostFields {
  readonly host?: string | null | undefined;
  readonly cluster?: string | null | undefined;
}

/**
 * Returns the host or the cluster, of which exactly one must be given. Clusters do not exist here.
 * @param since the version from which on a cluster can be named
 * @throws 400
 */
export function hostOrCluster(
  { version }: VolumeCall,
  { host, cluster }: HostFields,
  since: Parameters<VolumeCall['version']['has']>[0],
): { readonly host: string | undefined; readonly cluster: string | undefined } {
  const takesClusters = version.has(since);
  const named = takesClusters ? cluster : undefined;
  if (Boolean(named) === Boolean(host))
    throw invalidInput(
      takesClusters
        ? 'One and only one of cluster and host must be set.'
        : 'Host field is missing.',
    );
  return { host: host || undefined, cluster: named || undefined };
}
