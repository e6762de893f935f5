// Services, hosts, pools and capabilities: what Volume runs on, for administrators.
import { ok } from '../../../kernel/http/reply.ts';
import { badRequest, notFound } from '../../../kernel/fault.ts';
import { backend, defaultTypeName, zone } from '../domain/records.ts';
import { invalidInput } from '../domain/refusals.ts';
import { capabilitiesOf, driverFacts, isGoodFor, type Capabilities } from '../domain/scheduling.ts';
import { isHost, serviceFor, services, statesOf, volumeService } from '../domain/services.ts';
import { typeNamed } from '../domain/types.ts';
import { isTrue } from '../domain/list-query.ts';
import { writeServiceState } from '../store/services.ts';
import { timeView } from '../views/times.ts';
import { allow, viewerOf, type Fields } from './requests.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { VolumeCall } from '../call.ts';

/** GET /v3/os-services */
export async function list(call: VolumeCall): Promise<Reply> {
  allow(call, 'volume_extension:services:index');
  const { at, query } = call;
  const host = query.last('host');
  const binary = query.last('binary');
  const stateOf = await statesOf(call.db);
  const shown = services
    .filter((one) => (host === undefined || isHost(one.host, host)) && (binary === undefined || one.binary === binary))
    .map((one) => {
      const { disabled, disabledReason } = stateOf(one);
      const holds = one === volumeService;
      return {
        binary: one.binary,
        host: one.host,
        zone,
        status: disabled ? 'disabled' : 'enabled',
        state: 'up',
        updated_at: timeView(call.now),
        disabled_reason: disabledReason,
        ...(holds ? { replication_status: 'disabled', active_backend_id: null, frozen: false } : {}),
        ...(holds ? at.since('3.49', { backend_state: 'up' }) : {}),
        ...at.since('3.7', { cluster: null }),
      };
    });
  return ok({ services: shown });
}

/** Writes what is said of a service, which the body names in one of two ways. @throws 400, 404 */
async function say(call: VolumeCall, disabled: boolean, reason: string | null): Promise<Fields> {
  allow(call, 'volume_extension:services:update');
  const { host, binary = '', service = '' } = call.body as Record<string, string | null | undefined>;
  if (!host) throw invalidInput('Host field is missing.');
  const found = serviceFor(binary || service || '', host);
  const before = (await statesOf(call.db))(found);
  // A reason stays until there is another, or until the service is enabled.
  const disabledReason = disabled ? (reason ?? before.disabledReason) : null;
  await writeServiceState(call.db, { ...found, disabled, disabledReason });
  return { host, service, binary, status: disabled ? 'disabled' : 'enabled', disabled };
}

// Upstream's newest answer lacks the reason, and its newest code forgets to enable (cinder/api/v3/services.py); releases do both.
/** PUT /v3/os-services/enable */
export const enable = async (call: VolumeCall): Promise<Reply> =>
  ok({ ...(await say(call, false, null)), disabled_reason: null });

/** PUT /v3/os-services/disable */
export const disable = async (call: VolumeCall): Promise<Reply> => ok(await say(call, true, null));

/** PUT /v3/os-services/disable-log-reason */
export async function disableWithReason(call: VolumeCall): Promise<Reply> {
  const reason = (call.body as { disabled_reason?: string }).disabled_reason;
  if (reason !== undefined && !reason.trim()) throw invalidInput('disabled_reason has 0 characters, less than 1.');
  return ok({ ...(await say(call, true, reason ?? null)), disabled_reason: reason ?? null });
}

/** GET /v3/scheduler-stats/get_pools */
export async function listPools(call: VolumeCall): Promise<Reply> {
  allow(call, 'scheduler_extension:scheduler_stats:get_pools');
  const { at, query } = call;
  const detail = query.last('detail');
  if (detail !== undefined && !/^(1|t|true|on|y|yes|0|f|false|off|n|no)$/i.test(detail))
    throw badRequest(`Value '${detail}' for 'detail' is not a boolean.`);
  const capabilities: Capabilities = { ...(await capabilitiesOf(call.db)), timestamp: timeView(call.now) };
  const named = at.has('3.28') ? query.names().filter((name) => name !== 'detail' && name !== 'volume_type') : [];
  let isAsked = named.every((name) => {
    const value = query.last(name)!;
    if (name === 'name') return value === backend;
    const have = Object.hasOwn(capabilities, name) ? capabilities[name] : undefined;
    return typeof have === 'boolean' ? have === isTrue(value) : String(have) === value;
  });
  const type = at.has('3.35') ? query.last('volume_type') : undefined;
  if (type !== undefined) isAsked &&= isGoodFor(await typeNamed(call.db, viewerOf(call), type), capabilities);
  const pool = { name: backend, ...(isTrue(detail) ? { capabilities } : {}) };
  return ok({ pools: isAsked ? [pool] : [] });
}

const property = (title: string, description: string): object => ({ title, description, type: 'boolean' });

/** GET /v3/capabilities/{hostname} */
export function showCapabilities(call: VolumeCall): Reply {
  allow(call, 'volume_extension:capabilities');
  const name = call.params['hostname']!;
  if (!isHost(volumeService.host, name)) throw notFound(`Can't find service: ${name}`);
  return ok({
    namespace: `OS::Storage::Capabilities::${volumeService.host}`,
    vendor_name: driverFacts['vendor_name'],
    volume_backend_name: defaultTypeName,
    pool_name: null,
    driver_version: driverFacts['driver_version'],
    storage_protocol: driverFacts['storage_protocol'],
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
