// The events of servers' ports that a Nova outside of this cloud gets. Upstream:
// neutron/notifiers/nova.py.
import { isDeepStrictEqual } from 'node:util';
import { isUuidLike } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import { notifyNova, type ServerEvent } from '../../clients/compute.ts';
import type { Floatingip, Port } from '../../model.ts';
import { portTable } from '../../store/tables.ts';

/** Whether a port belongs to a server. */
const isServerPort = ({ device_id: device, device_owner: owner }: Port): boolean =>
  isUuidLike(device) && owner.startsWith('compute:');

async function notify(
  context: Context,
  port: Port,
  event: Pick<ServerEvent, 'name' | 'status'>,
): Promise<void> {
  if (isServerPort(port))
    await notifyNova(context, { ...event, server_uuid: port.device_id, tag: port.id });
}

/** Reports that a new port was plugged, if its status says so. */
export const reportNewStatus = (context: Context, port: Port): Promise<void> =>
  reportStatus(context, 'DOWN', port);

/**
 * Reports that a port was plugged or unplugged. A change of its binding does both: ML2 sets the
 * status DOWN, and an agent sets it ACTIVE again (_process_port_binding in
 * neutron/plugins/ml2/plugin.py).
 */
export async function reportStatusChange(
  context: Context,
  before: Port,
  after: Port,
): Promise<void> {
  if (before.status !== 'ACTIVE' || !isRebound(before, after))
    return reportStatus(context, before.status, after);
  await reportStatus(context, 'ACTIVE', { ...after, status: 'DOWN' });
  await reportStatus(context, 'DOWN', after);
}

const bindingAttributes = ['binding:host_id', 'binding:vnic_type', 'binding:profile'] as const;

const isRebound = (before: Port, after: Port): boolean =>
  bindingAttributes.some((name) => !isDeepStrictEqual(before[name], after[name]));

async function reportStatus(context: Context, before: Port['status'], port: Port): Promise<void> {
  const { status } = port;
  if (before === 'ACTIVE' && status === 'DOWN')
    await notify(context, port, { name: 'network-vif-unplugged', status: 'completed' });
  if (before !== 'ACTIVE' && status === 'ACTIVE')
    await notify(context, port, { name: 'network-vif-plugged', status: 'completed' });
}

/** Reports that a client has updated a port. */
export const reportChange = (context: Context, port: Port): Promise<void> =>
  notify(context, port, { name: 'network-changed' });

/** Reports that a client has deleted a port. */
export const reportDeletion = (context: Context, port: Port): Promise<void> =>
  notify(context, port, { name: 'network-vif-deleted' });

/**
 * Reports that a client has associated or dissociated a floating IP. If it moves from one port to
 * another, both servers get an event.
 */
export async function reportFloatingip(
  context: Context,
  before: Floatingip['port_id'],
  after: Floatingip['port_id'],
): Promise<void> {
  const ids = [before, after].filter((id) => id !== null);
  for (const id of ids) {
    const port = await portTable.find(context.db, { id });
    if (port) await reportChange(context, port);
  }
}
