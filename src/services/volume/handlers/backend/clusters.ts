// The handlers of clusters. The volume service here is in none, so there are none. Upstream:
// cinder/api/v3/clusters.py.
import { badRequest, notFound } from '../../../../kernel/errors.ts';
import { ok } from '../../../../kernel/http/reply.ts';
import { boolFromString } from '../../../../kernel/oslo/booleans.ts';
import type { Reply } from '../../../../kernel/model.ts';
import type { VolumeCall } from '../../call.ts';
import { invalidInput } from '../../domain/errors.ts';
import { authorize } from '../../policy.ts';

const filters = ['name', 'binary', 'is_up', 'disabled', 'num_hosts', 'num_down_hosts'];
const replicationFilters = ['replication_status', 'frozen', 'active_backend_id'];

/** GET /v3/clusters, and GET /v3/clusters/detail */
export function list(call: VolumeCall): Reply {
  authorize(call, 'clusters:get_all');
  const { query, version } = call;
  const known = version.has('3.26') ? [...filters, ...replicationFilters] : filters;
  const unknown = query.names().filter((name) => !known.includes(name));
  if (unknown.length) throw invalidInput(`Invalid filter keys: ${unknown.join(', ')}`);
  for (const name of ['disabled', 'is_up']) checkBoolean(name, query.last(name));
  return ok({ clusters: [] });
}

/** @throws 400. Upstream: get_bool_param in cinder/utils.py */
function checkBoolean(name: string, value: string | undefined): void {
  if (value !== undefined && boolFromString(value) === undefined)
    throw badRequest(`Value '${value}' for '${name}' is not a boolean.`);
}

/** GET /v3/clusters/{cluster_id}. The id is the name. @throws 404 */
export function show(call: VolumeCall): never {
  authorize(call, 'clusters:get');
  throw noCluster(call.params['cluster_id']!);
}

/** PUT /v3/clusters/enable, and PUT /v3/clusters/disable. @throws 404 */
export function update(call: VolumeCall): never {
  authorize(call, 'clusters:update');
  throw noCluster((call.body as { name: string }).name);
}

const noCluster = (name: string) => notFound(`Cluster ${name} could not be found.`);
