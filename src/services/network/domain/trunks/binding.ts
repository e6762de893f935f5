// Trunks and subports follow the binding of their parent port. Upstream, the agent of the host does
// this after the server has been plugged: neutron/services/trunk/rpc/server.py.
import { pipelined } from '../../../../kernel/db/pipelined.ts';
import type { Context } from '../../../../kernel/model.ts';
import { deviceOwners, type Port, type Trunk } from '../../model.ts';
import { subPortOf, subPortsIn } from '../../store/subports.ts';
import { portTable, trunkTable } from '../../store/tables.ts';
import { portStatus } from '../ports/port-status.ts';
import { inConflict } from '../refusals.ts';

/**
 * Binds the subports of a port's trunk to the host of the port, if it has a trunk. A trunk whose
 * parent port is not bound is DOWN.
 */
export async function bindTrunkOf(context: Context, parent: Port): Promise<void> {
  const { db } = context;
  const trunk = await trunkTable.find(db, { port_id: parent.id });
  if (!trunk) return;
  const host = parent['binding:host_id'];
  const subPorts = await subPortsIn(db, trunk.id);
  const ids = subPorts.map(({ port_id }) => port_id);
  for (const port of await portTable.among(db, 'id', ids))
    await (host ? bindSubPort(context, port, host) : unbindSubPort(context, port));
  await updateStatus(context, trunk, host);
}

/** Sets the status of a trunk, which is ACTIVE if its parent port is bound to a host. */
export const updateStatus = ({ db, now }: Context, trunk: Trunk, host: string): Promise<Trunk> =>
  trunkTable.change(db, trunk, { status: host ? 'ACTIVE' : 'DOWN' }, now);

/** Binds a subport to the host of its trunk's parent port, which is empty if it is not bound. */
export async function bindSubPort(context: Context, port: Port, host: string): Promise<void> {
  if (!host) {
    // No other transaction may use the port as if it were not in the trunk.
    await portTable.touch(context.db, port, context.now);
    return;
  }
  await changeBinding(context, port, host, deviceOwners.subPort);
}

export async function unbindSubPort(context: Context, port: Port): Promise<void> {
  if (port['binding:host_id']) await changeBinding(context, port, '', port.device_owner);
}

async function changeBinding(
  { db, now }: Context,
  port: Port,
  host: string,
  owner: string,
): Promise<void> {
  const changes = {
    'binding:host_id': host,
    device_owner: owner,
    status: portStatus(owner, host, port.admin_state_up),
  };
  await portTable.change(db, port, changes, now);
}

export async function isInTrunk({ db }: Context, { id }: Port): Promise<boolean> {
  const [subPort, isParent] = await pipelined([
    subPortOf(db, id),
    trunkTable.exists(db, { port_id: id }),
  ]);
  return subPort !== undefined || isParent;
}

/** @throws 409 if a port is the parent or a subport of a trunk */
export async function checkDeletable({ db }: Context, { id }: Port): Promise<void> {
  const subPort = await subPortOf(db, id);
  if (subPort)
    throw inConflict(
      'PortInUseAsSubPort',
      `Port ${id} is currently a subport for trunk ${subPort.trunk_id}.`,
    );
  const trunk = await trunkTable.find(db, { port_id: id });
  if (trunk)
    throw inConflict(
      'PortInUseAsTrunkParent',
      `Port ${id} is currently a parent port for trunk ${trunk.id}.`,
    );
}
