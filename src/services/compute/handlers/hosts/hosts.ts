// os-hosts, until 2.42: list, show, enable or disable, and power actions.
import { ok } from '../../../../kernel/http/reply.ts';
import { notFound, notImplemented } from '../../../../kernel/errors.ts';
import { inventoriesOf } from '../../clients/placement.ts';
import type { ComputeCall, Handler } from '../../call.ts';
import { setHostEnabled } from '../../domain/hosts/hosts.ts';
import { zoneOf } from '../../domain/hosts/zones.ts';
import { zonesByHost } from '../../store/hosts/aggregates.ts';
import { findComputeHost } from '../../store/hosts/hosts.ts';
import { listServices } from '../../store/hosts/services.ts';
import { serversOnHost } from '../../store/servers/servers.ts';
import { hostItem, hostView } from '../../views/hosts/hosts.ts';
import { hostUsageOf } from '../../views/hosts/hypervisors.ts';
import type { Reply } from '../../../../kernel/model.ts';
import type { ComputeHost } from '../../model.ts';

export async function list(call: ComputeCall): Promise<Reply> {
  const zone = call.query.last('zone');
  const zones = await zonesByHost(call.db);
  const services = (await listServices(call.db)).filter(
    (service) => !service.disabled && (!zone || zoneOf(service, zones) === zone),
  );
  return ok({ hosts: services.map((service) => hostItem(service, zones)) });
}

/** The compute host in the path. @throws 404 */
async function hostOf({ db, params }: ComputeCall): Promise<ComputeHost> {
  const name = params['id']!;
  const host = await findComputeHost(db, { name });
  if (!host) throw notFound(`Host '${name}' is not mapped to any cell`);
  return host;
}

export async function show(call: ComputeCall): Promise<Reply> {
  const host = await hostOf(call);
  const servers = await serversOnHost(call.db, host.name);
  const inventories = (await inventoriesOf(call, [host.uuid])).get(host.uuid) ?? {};
  return ok({ host: hostView(host, hostUsageOf(host, inventories, servers.length), servers) });
}

interface Body {
  status?: string;
  maintenance_mode?: string;
}

const notSupported = () => notImplemented('The requested functionality is not supported.');

/** Enables or disables a host for new servers. Like libvirt, it has no maintenance mode. */
export async function update(call: ComputeCall): Promise<Reply> {
  const { status, maintenance_mode: maintenance } = call.body as Body;
  const host = await hostOf(call);
  if (maintenance !== undefined) throw notSupported();
  const enabled = status!.toLowerCase() === 'enable';
  await setHostEnabled(call, host, enabled);
  return ok({ host: host.name, status: enabled ? 'enabled' : 'disabled' });
}

/** Power actions on a host, which libvirt does not support. */
export const actPower: Handler = async (call) => {
  await hostOf(call);
  throw notSupported();
};
