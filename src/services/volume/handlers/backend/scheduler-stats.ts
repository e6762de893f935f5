// The pools of the scheduler, and the capabilities of the backend. Upstream:
// cinder/api/contrib/{scheduler_stats,capabilities}.py.
import { badRequest, notFound } from '../../../../kernel/errors.ts';
import { ok } from '../../../../kernel/http/reply.ts';
import type { Reply } from '../../../../kernel/model.ts';
import { isTrue } from '../../../../kernel/oslo/booleans.ts';
import type { VolumeCall } from '../../call.ts';
import { defaultTypeName, pool } from '../../model.ts';
import {
  driverCapabilities,
  matchesType,
  poolCapabilities,
  type Capabilities,
} from '../../domain/backend/scheduling.ts';
import { isHost, volumeService } from '../../domain/backend/services.ts';
import { typeNamed } from '../../domain/types/types.ts';
import { authorize } from '../../policy.ts';
import { timeView } from '../../views/times.ts';
import { isBoolString } from '../requests/list-query.ts';

/** GET /v3/scheduler-stats/get_pools */
export async function listPools(call: VolumeCall): Promise<Reply> {
  authorize(call, 'scheduler_extension:scheduler_stats:get_pools');
  const detail = call.query.last('detail');
  if (detail !== undefined && !isBoolString(detail))
    throw badRequest(`Value '${detail}' for 'detail' is not a boolean.`);
  const capabilities: Capabilities = {
    ...(await poolCapabilities(call)),
    timestamp: timeView(call.now),
  };
  const isListed = passesFilters(call, capabilities) && (await isOfType(call, capabilities));
  const view = { name: pool, ...(isTrue(detail) ? { capabilities } : {}) };
  return ok({ pools: isListed ? [view] : [] });
}

/** Whether the pool matches the volume type of the query. @throws 404 */
async function isOfType(call: VolumeCall, capabilities: Capabilities): Promise<boolean> {
  const type = call.version.has('3.35') ? call.query.last('volume_type') : undefined;
  return type === undefined || matchesType(await typeNamed(call, type), capabilities);
}

/** Whether the pool has the name and the capabilities that the query names. */
function passesFilters({ version, query }: VolumeCall, capabilities: Capabilities): boolean {
  const filters = version.has('3.28')
    ? query.names().filter((name) => name !== 'detail' && name !== 'volume_type')
    : [];
  return filters.every((name) => {
    const value = query.last(name)!;
    if (name === 'name') return value === pool;
    const capability = Object.hasOwn(capabilities, name) ? capabilities[name] : undefined;
    return typeof capability === 'boolean'
      ? capability === isTrue(value)
      : String(capability) === value;
  });
}

const property = (title: string, description: string): object => ({
  title,
  description,
  type: 'boolean',
});

/** GET /v3/capabilities/{hostname} */
export function showCapabilities(call: VolumeCall): Reply {
  authorize(call, 'volume_extension:capabilities');
  const name = call.params['hostname']!;
  if (!isHost(volumeService.host, name)) throw notFound(`Can't find service: ${name}`);
  return ok({
    namespace: `OS::Storage::Capabilities::${volumeService.host}`,
    vendor_name: driverCapabilities['vendor_name'],
    volume_backend_name: defaultTypeName,
    pool_name: null,
    driver_version: driverCapabilities['driver_version'],
    storage_protocol: driverCapabilities['storage_protocol'],
    display_name: null,
    description: null,
    visibility: null,
    replication_targets: [],
    properties: {
      thin_provisioning: property('Thin Provisioning', 'Sets thin provisioning.'),
      compression: property('Compression', 'Enables compression.'),
      qos: property('QoS', 'Enables QoS.'),
      replication_enabled: property('Replication', 'Enables replication.'),
    },
  });
}
