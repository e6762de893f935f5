// The handlers of services: list, enable, disable, freeze, thaw. Upstream:
// cinder/api/v3/services.py.
import { ok, reply } from '../../../../kernel/http/reply.ts';
import type { Reply } from '../../../../kernel/model.ts';
import type { VolumeCall } from '../../call.ts';
import { invalidInput } from '../../domain/errors.ts';
import {
  disableService,
  enableService,
  freezeHost,
  isHost,
  refuseFailover,
  serviceFor,
  servicesOf,
  serviceStates,
} from '../../domain/backend/services.ts';
import type { VolumeService } from '../../model.ts';
import { authorize } from '../../policy.ts';
import { hostOrCluster, type HostFields } from '../requests/hosts.ts';
import { serviceView } from '../../views/services.ts';

/** GET /v3/os-services */
export async function list(call: VolumeCall): Promise<Reply> {
  authorize(call, 'volume_extension:services:index');
  const host = call.query.last('host');
  const binary = call.query.last('binary');
  const stateOf = await serviceStates(call);
  const listed = servicesOf(call).filter(
    (one) =>
      (host === undefined || isHost(one.host, host)) &&
      (binary === undefined || one.binary === binary),
  );
  return ok({ services: listed.map((service) => serviceView(call, service, stateOf(service))) });
}

/**
 * Returns the service that the body names by its host and by `binary` or `service`, and these names
 * for the reply.
 * @throws 400, 403, 404
 */
function serviceOf(call: VolumeCall): { service: VolumeService; names: object } {
  authorize(call, 'volume_extension:services:update');
  const {
    host,
    binary = '',
    service = '',
  } = call.body as Record<string, string | null | undefined>;
  if (!host) throw invalidInput('Host field is missing.');
  return {
    service: serviceFor(call, binary || service || '', host),
    names: { host, service, binary },
  };
}

/**
 * PUT /v3/os-services/enable. The master branch of upstream fails to enable the service, and its
 * reply lacks the reason. Releases do both, and so does this.
 */
export async function enable(call: VolumeCall): Promise<Reply> {
  const { service, names } = serviceOf(call);
  await enableService(call, service);
  return ok({ ...names, status: 'enabled', disabled: false, disabled_reason: null });
}

/** PUT /v3/os-services/disable */
export async function disable(call: VolumeCall): Promise<Reply> {
  const { service, names } = serviceOf(call);
  await disableService(call, service, null);
  return ok({ ...names, status: 'disabled', disabled: true });
}

/** PUT /v3/os-services/disable-log-reason */
export async function disableWithReason(call: VolumeCall): Promise<Reply> {
  const reason = (call.body as { disabled_reason?: string }).disabled_reason;
  if (reason !== undefined && !reason.trim())
    throw invalidInput('disabled_reason has 0 characters, less than 1.');
  const { service, names } = serviceOf(call);
  await disableService(call, service, reason ?? null);
  return ok({ ...names, status: 'disabled', disabled: true, disabled_reason: reason ?? null });
}

/** PUT /v3/os-services/freeze */
export const freeze = (call: VolumeCall): Promise<Reply> =>
  setFrozen(call, 'volume:freeze_host', true);

/** PUT /v3/os-services/thaw */
export const thaw = (call: VolumeCall): Promise<Reply> =>
  setFrozen(call, 'volume:thaw_host', false);

/** Freezes or thaws a host. @throws 400, 403 */
async function setFrozen(call: VolumeCall, rule: string, frozen: boolean): Promise<Reply> {
  await freezeHost(call, namedHost(call, rule), frozen);
  return reply(200);
}

/** PUT /v3/os-services/failover_host. Upstream refuses it as well for a backend like this one. */
export const failOver = (call: VolumeCall): never =>
  refuseFailover(call, namedHost(call, 'volume:failover_host'));

/** Returns the host that the body names. Clusters do not exist here. @throws 400, 403 */
function namedHost(call: VolumeCall, rule: string): string {
  authorize(call, 'volume_extension:services:update');
  const { host, cluster } = hostOrCluster(call, call.body as HostFields, '3.26');
  authorize(call, rule);
  if (!host) throw invalidInput(`No service found with cluster=${cluster}`);
  return host;
}
