// Services: list, enable, disable, force down and delete.
import { noContent, ok } from '../../../../kernel/http/reply.ts';
import { badRequest, notFound, type ApiError } from '../../../../kernel/errors.ts';
import type { ComputeCall } from '../../call.ts';
import { changeService, removeService } from '../../domain/hosts/hosts.ts';
import { keyOf } from '../../domain/ids.ts';
import { zonesByHost } from '../../store/hosts/aggregates.ts';
import { findService, listServices } from '../../store/hosts/services.ts';
import { serviceView } from '../../views/hosts/services.ts';
import { boolFromString } from '../../../../kernel/oslo/booleans.ts';
import type { Reply } from '../../../../kernel/model.ts';
import type { ComputeService, ServiceChange } from '../../model.ts';

export async function list(call: ComputeCall): Promise<Reply> {
  const { query, db } = call;
  const services = await listServices(db, {
    host: query.last('host'),
    binary: query.last('binary'),
  });
  const zones = await zonesByHost(db);
  return ok({ services: services.map((service) => serviceView(call, service, zones)) });
}

/** The error for updating any service other than nova-compute. */
const notUpdatable = (binary: string): ApiError =>
  badRequest(
    `Updating a ${binary} service is not supported. Only nova-compute services can be updated.`,
  );

interface Body {
  status?: 'enabled' | 'disabled';
  disabled_reason?: string;
  forced_down?: boolean | string;
}

/** Updates a service, which the path identifies by its UUID. */
export async function update(call: ComputeCall): Promise<Reply> {
  const id = call.params['id']!;
  const service = await findService(call.db, keyOf(id, true));
  if (!service) throw notFound(`Service ${id} could not be found.`);
  if (service.binary !== 'nova-compute') throw notUpdatable(service.binary);
  const change = changeOf(call.body as Body);
  if (!Object.keys(change).length) {
    throw badRequest(
      "No updates were requested. Fields 'status' or 'forced_down' should be specified.",
    );
  }
  const updated = await changeService(call, service, change);
  return ok({ service: serviceView(call, updated, await zonesByHost(call.db)) });
}

function changeOf({ status, disabled_reason: reason, forced_down: down }: Body): ServiceChange {
  if (status === 'enabled' && reason)
    throw badRequest("Specifying 'disabled_reason' with status 'enabled' is invalid.");
  return {
    ...(status === undefined
      ? {}
      : {
          disabled: status === 'disabled',
          disabledReason: status === 'disabled' ? (reason ?? null) : null,
        }),
    ...(down === undefined ? {} : { forcedDown: boolFromString(String(down)) ?? false }),
  };
}

interface ActionBody {
  host: string;
  binary: string;
  disabled_reason?: string;
  forced_down?: boolean | string;
}

/** Before 2.53, the path names the action, and the body identifies the service. */
export async function perform(call: ComputeCall): Promise<Reply> {
  const { host, binary, disabled_reason: reason, forced_down: down } = call.body as ActionBody;
  const target = { host, binary };
  switch (call.params['id']) {
    case 'enable':
      await changeTarget(call, { disabled: false, disabledReason: null });
      return ok({ service: { ...target, status: 'enabled' } });
    case 'disable':
      await changeTarget(call, { disabled: true, disabledReason: null });
      return ok({ service: { ...target, status: 'disabled' } });
    case 'disable-log-reason':
      if (reason === undefined) throw badRequest('Missing disabled reason field');
      await changeTarget(call, { disabled: true, disabledReason: reason });
      return ok({ service: { ...target, status: 'disabled', disabled_reason: reason } });
    case 'force-down': {
      if (!call.version.has('2.11')) throw notFound('Unknown action');
      if (down === undefined) throw badRequest('Missing forced_down field');
      const forcedDown = boolFromString(String(down)) ?? false;
      await changeTarget(call, { forcedDown });
      return ok({ service: { ...target, forced_down: forcedDown } });
    }
    default:
      throw notFound('Unknown action');
  }
}

/** Changes the service that the body identifies. @throws 400, 404 */
async function changeTarget(call: ComputeCall, change: ServiceChange): Promise<ComputeService> {
  const { host, binary } = call.body as ActionBody;
  if (binary !== 'nova-compute') throw notUpdatable(binary);
  const [service] = await listServices(call.db, { host, binary });
  if (!service) throw notFound(`Host '${host}' is not mapped to any cell`);
  return changeService(call, service, change);
}

export async function remove(call: ComputeCall): Promise<Reply> {
  const id = call.params['id']!;
  const service = await findService(call.db, keyOf(id, call.version.has('2.53')));
  if (!service) throw notFound(`Service ${id} not found.`);
  await removeService(call, service);
  return noContent();
}
