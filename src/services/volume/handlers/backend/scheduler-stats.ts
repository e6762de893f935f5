// The handler of pools, which lists the pools of the scheduler. Upstream:
// cinder/api/contrib/scheduler_stats.py.
import { badRequest } from '../../../../kernel/errors.ts';
import { ok } from '../../../../kernel/http/reply.ts';
import type { Reply } from '../../../../kernel/model.ts';
import { isTrue } from '../../../../kernel/oslo/booleans.ts';
import type { VolumeCall } from '../../call.ts';
import { backendsOf } from '../../domain/backend/backends.ts';
import {
  matchesType,
  poolCapabilities,
  type Capabilities,
} from '../../domain/backend/scheduling.ts';
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
  const pools: object[] = [];
  for (const backend of backendsOf(call)) {
    const name = backend.pool;
    const capabilities: Capabilities = {
      ...(await poolCapabilities(call, backend)),
      timestamp: timeView(call.now),
    };
    if (passesFilters(call, name, capabilities) && (await isOfType(call, capabilities)))
      pools.push({ name, ...(isTrue(detail) ? { capabilities } : {}) });
  }
  return ok({ pools });
}

/** Returns whether the pool matches the volume type in the query. @throws 404 */
async function isOfType(call: VolumeCall, capabilities: Capabilities): Promise<boolean> {
  const type = call.version.has('3.35') ? call.query.last('volume_type') : undefined;
  return type === undefined || matchesType(await typeNamed(call, type), capabilities);
}

/** Returns whether the pool has the name and the capabilities in the query. */
function passesFilters(
  { version, query }: VolumeCall,
  pool: string,
  capabilities: Capabilities,
): boolean {
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
