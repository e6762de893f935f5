// Trunks: ports that carry the traffic of other ports. Upstream: neutron/services/trunk/plugin.py
// and its driver for Open vSwitch.
import type { Context } from '../../../../kernel/model.ts';
import type { Trunk } from '../../model.ts';
import { deleteSubPorts, insertSubPorts, subPortsIn } from '../../store/subports.ts';
import { portTable, trunkTable } from '../../store/tables.ts';
import { setTags } from '../../store/tags.ts';
import type { Fields } from '../attributes/definitions.ts';
import { absent, inConflict, parentInUse } from '../refusals.ts';
import { newStandard, storedFields } from '../standard.ts';
import { getPort } from '../visibility.ts';
import { bindSubPort, unbindSubPort, updateStatus } from './binding.ts';
import { checkNotInTrunk, newSubPorts, type NewSubPort } from './new-subports.ts';
import { readSubPorts, type RequestedSubPort } from './requested-subports.ts';

/** @throws 400, 404, 409 */
export async function createTrunk(context: Context, fields: Fields): Promise<Trunk> {
  const { db, now } = context;
  const portId = fields['port_id'] as string;
  await checkNotInTrunk(context, portId);
  const parent = await getPort(context, portId);
  // The driver for Open vSwitch builds the bridge of a trunk when a server is plugged.
  if (parent['binding:host_id']) throw parentInUse(portId);
  const added = await newSubPorts(context, portId, fields['sub_ports'] as RequestedSubPort[]);
  const trunk: Trunk = {
    ...newStandard(fields, now),
    name: fields['name'] as string,
    admin_state_up: fields['admin_state_up'] as boolean,
    port_id: portId,
    status: 'DOWN',
  };
  // No other transaction may bind the port, or add it to a trunk, as if this trunk did not exist.
  await portTable.touch(db, parent, now);
  await trunkTable.create(db, trunk);
  await insert(context, trunk, added);
  return trunk;
}

async function insert(
  { db }: Context,
  { id }: Trunk,
  subPorts: readonly NewSubPort[],
): Promise<void> {
  await insertSubPorts(
    db,
    subPorts.map(({ port, segmentation_type, segmentation_id }) => ({
      port_id: port.id,
      trunk_id: id,
      segmentation_type,
      segmentation_id,
    })),
  );
}

export const updateTrunk = ({ db, now }: Context, trunk: Trunk, fields: Fields): Promise<Trunk> =>
  trunkTable.change(db, trunk, storedFields(trunkTable, fields), now);

/**
 * Adds ports to a trunk. If its parent port is bound, the agent of the host binds them too.
 * @throws 400, 404, 409
 */
export async function addSubPorts(context: Context, trunk: Trunk, sent: unknown): Promise<Trunk> {
  const added = await newSubPorts(context, trunk.port_id, readSubPorts(sent));
  checkEnabled(trunk);
  if (trunk.status === 'ERROR')
    throw inConflict(
      'TrunkInErrorState',
      `Trunk ${trunk.id} is in error state. Attempt to resolve the error condition before ` +
        'proceeding.',
    );
  await checkSegmentations(context, trunk, added);
  await insert(context, trunk, added);
  const host = await hostOf(context, trunk);
  for (const { port } of added) await bindSubPort(context, port, host);
  return updateStatus(context, trunk, host);
}

/** @throws 409 if a subport of the trunk has the segmentation of a new one */
async function checkSegmentations(
  { db }: Context,
  { id }: Trunk,
  added: readonly NewSubPort[],
): Promise<void> {
  const keyOf = ({ segmentation_type, segmentation_id }: Omit<NewSubPort, 'port'>): string =>
    `segmentation_type ${segmentation_type} and segmentation_id ${segmentation_id}`;
  const present = new Set((await subPortsIn(db, id)).map(keyOf));
  for (const key of added.map(keyOf)) {
    if (present.has(key))
      throw inConflict('DuplicateSubPort', `${key} already in use on trunk ${id}.`);
    present.add(key);
  }
}

/** Removes ports from a trunk. @throws 400; 404 for a port that is not in it; 409 */
export async function removeSubPorts(
  context: Context,
  trunk: Trunk,
  sent: unknown,
): Promise<Trunk> {
  const { db } = context;
  checkEnabled(trunk);
  const portIds = readSubPorts(sent).map(({ port_id }) => port_id);
  const present = new Set((await subPortsIn(db, trunk.id)).map((one) => one.port_id));
  const unknown = portIds.find((id) => !present.has(id));
  if (unknown !== undefined)
    throw absent('SubPortNotFound', `SubPort ${unknown} on trunk ${trunk.id} could not be found.`);
  await deleteSubPorts(db, portIds);
  for (const port of await portTable.among(db, 'id', portIds)) await unbindSubPort(context, port);
  const host = await hostOf(context, trunk);
  return updateStatus(context, trunk, host);
}

/** @throws 409 if a trunk is disabled, so that its subports cannot be changed */
function checkEnabled({ id, admin_state_up: isEnabled }: Trunk): void {
  if (!isEnabled) throw inConflict('TrunkDisabled', `Trunk ${id} is currently disabled.`);
}

/** The host that the parent port of a trunk is bound to; empty if it is not bound. */
const hostOf = async ({ db }: Context, { port_id }: Trunk): Promise<string> =>
  (await portTable.find(db, { id: port_id }))!['binding:host_id'];

/** Deletes a trunk, but not its ports. @throws 409 if it is disabled or its parent port is bound */
export async function deleteTrunk(context: Context, trunk: Trunk): Promise<void> {
  const { db } = context;
  checkEnabled(trunk);
  if (await hostOf(context, trunk))
    throw inConflict('TrunkInUse', `Trunk ${trunk.id} is currently in use.`);
  const subPorts = await subPortsIn(db, trunk.id);
  await deleteSubPorts(
    db,
    subPorts.map(({ port_id }) => port_id),
  );
  await setTags(db, trunk.id, []);
  await trunkTable.delete(db, trunk);
}
