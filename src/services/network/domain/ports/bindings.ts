// The bindings of a server's port to hosts. One is active; the others are prepared for a live
// migration, which activates one of them. Upstream: create_port_binding and its neighbours in
// neutron/plugins/ml2/plugin.py.
import type { ApiError } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { InactiveBinding, Port, PortBinding } from '../../model.ts';
import { deleteBindings, inactiveBindings, insertBinding } from '../../store/port-bindings.ts';
import { portTable } from '../../store/tables.ts';
import type { Fields } from '../attributes/definitions.ts';
import { absent, badResource, inConflict } from '../refusals.ts';
import { bindTrunkOf } from '../trunks/binding.ts';
import { getPort } from '../visibility.ts';
import { portStatus } from './port-status.ts';
import { checkProfile } from './ports.ts';
import { reportStatusChange } from './server-events.ts';

/** Finds a port that may have several bindings. @throws 400, 404 */
export async function getBindablePort(context: Context, id: string): Promise<Port> {
  const port = await getPort(context, id);
  if (['compute:', 'manila:'].some((prefix) => port.device_owner.startsWith(prefix))) return port;
  throw badResource(
    'port',
    `Invalid port ${id}. Operation only valid on compute and shared filesystem ports`,
  );
}

/** The active binding of a port, which is unbound if it has no host. */
const activeBinding = (port: Port): PortBinding => ({
  port_id: port.id,
  host: port['binding:host_id'],
  vnic_type: port['binding:vnic_type'],
  profile: port['binding:profile'],
  is_bound: port['binding:host_id'] !== '',
  status: 'ACTIVE',
});

const inactive = (binding: InactiveBinding): PortBinding => ({ ...binding, status: 'INACTIVE' });

/** The bindings of a port, by host. */
export async function bindingsOf({ db }: Context, port: Port): Promise<PortBinding[]> {
  const others = (await inactiveBindings(db, port.id)).map(inactive);
  return [activeBinding(port), ...others].sort((a, b) => (a.host < b.host ? -1 : 1));
}

const bindingNotFound = (portId: string, host: string): ApiError =>
  absent('PortBindingNotFound', `Binding for port ${portId} for host ${host} could not be found.`);

const bindingExists = (portId: string, host: string): ApiError =>
  inConflict(
    'PortBindingAlreadyExists',
    `Binding for port ${portId} on host ${host} already exists.`,
  );

/** @throws 404 */
export async function getBinding(context: Context, port: Port, host: string): Promise<PortBinding> {
  const found = (await bindingsOf(context, port)).find((binding) => binding.host === host);
  if (!found) throw bindingNotFound(port.id, host);
  return found;
}

const isBoundTo = async (context: Context, port: Port, host: string): Promise<boolean> =>
  (await bindingsOf(context, port)).some((binding) => binding.host === host);

/** Creates an inactive binding of a port. @throws 400, 409 */
export async function createBinding(
  context: Context,
  port: Port,
  fields: Fields,
): Promise<PortBinding> {
  const { db, now } = context;
  const host = fields['host'] as string;
  if (await isBoundTo(context, port, host)) throw bindingExists(port.id, host);
  const binding: InactiveBinding = {
    port_id: port.id,
    host,
    vnic_type: fields['vnic_type'] as string,
    profile: profileIn(fields),
    is_bound: host !== '',
  };
  await insertBinding(db, binding);
  await portTable.touch(db, port, now);
  return inactive(binding);
}

function profileIn(fields: Fields): PortBinding['profile'] {
  const profile = (fields['profile'] ?? {}) as PortBinding['profile'];
  checkProfile(profile);
  return profile;
}

/**
 * Updates a binding, and binds it if it is unbound. As upstream, an update without a profile clears
 * the profile.
 * @throws 400, 409
 */
export async function updateBinding(
  context: Context,
  port: Port,
  { host: before, status, ...binding }: PortBinding,
  fields: Fields,
): Promise<PortBinding> {
  const { db, now } = context;
  const host = (fields['host'] ?? before) as string;
  if (host !== before && (await isBoundTo(context, port, host))) throw bindingExists(port.id, host);
  const changed: PortBinding = {
    ...binding,
    host,
    vnic_type: (fields['vnic_type'] ?? binding.vnic_type) as string,
    profile: profileIn(fields),
    is_bound: host !== '',
    status,
  };
  if (status === 'ACTIVE') {
    await changeActive(context, port, changed);
    return changed;
  }
  await deleteBindings(db, port.id, before);
  await insertBinding(db, changed);
  await portTable.touch(db, port, now);
  return changed;
}

/** Makes this the active binding of a port. */
async function changeActive(
  context: Context,
  port: Port,
  { host, vnic_type, profile }: PortBinding,
): Promise<void> {
  const changes = {
    'binding:host_id': host,
    'binding:vnic_type': vnic_type,
    'binding:profile': profile,
    status: portStatus(port.device_owner, host, port.admin_state_up),
  };
  const changed = await portTable.change(context.db, port, changes, context.now);
  if (host !== port['binding:host_id']) await bindTrunkOf(context, changed);
  await reportStatusChange(context, port, changed);
}

/** Activates a binding. The binding that was active stays, but is unbound. @throws 404, 409 */
export async function activateBinding(
  context: Context,
  port: Port,
  host: string,
): Promise<PortBinding> {
  const { db } = context;
  const active = activeBinding(port);
  if (active.host === host)
    throw inConflict(
      'PortBindingAlreadyActive',
      `Binding for port ${port.id} on host ${host} is already active.`,
    );
  const binding = await getBinding(context, port, host);
  await deleteBindings(db, port.id, host);
  await insertBinding(db, { ...active, is_bound: false });
  const activated: PortBinding = { ...binding, is_bound: true, status: 'ACTIVE' };
  await changeActive(context, port, activated);
  return activated;
}

/** Deletes a binding. Without its active binding, a port is unbound. */
export async function deleteBinding(
  context: Context,
  port: Port,
  { host, status }: PortBinding,
): Promise<void> {
  const { db, now } = context;
  if (status === 'INACTIVE') {
    await deleteBindings(db, port.id, host);
    await portTable.touch(db, port, now);
    return;
  }
  const unbound = { ...activeBinding(port), host: '', profile: {} };
  await deleteBindings(db, port.id, unbound.host);
  await changeActive(context, port, unbound);
}
