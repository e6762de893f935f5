// Checks whether ports can become subports of a trunk. Upstream: neutron/services/trunk/rules.py.
import type { Context } from '../../../../kernel/model.ts';
import type { Network, Port, SubPort } from '../../model.ts';
import { subPortOf } from '../../store/subports.ts';
import { networkTable, portTable, trunkTable } from '../../store/tables.ts';
import { toInteger } from '../attributes/convert.ts';
import { inConflict, invalidInput, parentInUse, portInUse } from '../refusals.ts';
import { getPort, visibleTo, visibility } from '../visibility.ts';
import { quoted } from '../attributes/checks.ts';
import { incomplete, isInherited, type RequestedSubPort } from './requested-subports.ts';

type Segmentation = Pick<SubPort, 'segmentation_type' | 'segmentation_id'>;

/** A port that becomes a subport. */
export interface NewSubPort extends Segmentation {
  readonly port: Port;
}

/**
 * Returns the ports that become subports of the trunk with this parent port.
 * @throws 400, 404, 409
 */
export async function newSubPorts(
  context: Context,
  parentId: string,
  requested: readonly RequestedSubPort[],
): Promise<NewSubPort[]> {
  const networks = await networksOf(context, [parentId, ...requested.map((one) => one.port_id)]);
  const subPorts: NewSubPort[] = [];
  for (const one of requested) {
    const network = networks.get(one.port_id);
    if (one.port_id === parentId) throw parentInUse(parentId);
    checkMtu(one.port_id, network, parentId, networks.get(parentId));
    const segmentation = segmentationOf(network ? inherited(one, network) : one);
    subPorts.push({ port: await freePort(context, one.port_id), ...segmentation });
  }
  return subPorts;
}

/** The networks of the ports that the caller sees, by port id. */
async function networksOf(context: Context, ids: readonly string[]): Promise<Map<string, Network>> {
  const { db } = context;
  const ports = await portTable.list(db, {
    where: { id: ids },
    conditions: visibleTo(context, visibility.port),
  });
  const networks = await networkTable.among(
    db,
    'id',
    ports.map((port) => port.network_id),
  );
  const byId = new Map(networks.map((network) => [network.id, network]));
  return new Map(ports.map((port) => [port.id, byId.get(port.network_id)!]));
}

/** @throws 409 if packets of the subport do not fit the trunk */
function checkMtu(
  portId: string,
  network: Network | undefined,
  parentId: string,
  parentNetwork: Network | undefined,
): void {
  if (!network || !parentNetwork || network.mtu <= parentNetwork.mtu) return;
  throw inConflict(
    'SubPortMtuGreaterThanTrunkPortMtu',
    `MTU ${network.mtu} of subport ${portId} cannot be greater than MTU ${parentNetwork.mtu} of ` +
      `trunk ${parentId}.`,
  );
}

/** Replaces the type `inherit` by the segmentation of the network. */
const inherited = (subPort: RequestedSubPort, network: Network): RequestedSubPort =>
  isInherited(subPort)
    ? {
        port_id: subPort.port_id,
        segmentation_id: network['provider:segmentation_id'],
        segmentation_type: network['provider:network_type'],
      }
    : subPort;

/** @throws 400 */
function segmentationOf(subPort: RequestedSubPort): Segmentation {
  if (!('segmentation_type' in subPort) || !('segmentation_id' in subPort))
    throw invalidInput(incomplete(subPort));
  const { segmentation_type: type, segmentation_id: sent } = subPort;
  const id = integerOf(sent);
  if (id === undefined)
    throw invalidInput(
      `Invalid subport details: segmentation_id '${quoted(sent)}' is not an integer`,
    );
  if (type !== 'vlan') throw invalidInput(`Unknown segmentation_type '${quoted(type)}'`);
  if (id < 1 || id > 4094) throw invalidInput(`Segmentation ID '${id}' is not in range`);
  return { segmentation_type: type, segmentation_id: id };
}

function integerOf(value: unknown): number | undefined {
  try {
    return toInteger(value);
  } catch {
    return undefined;
  }
}

/** @throws 404 for an unknown port; 409 if the port has a device or is in a trunk */
async function freePort(context: Context, id: string): Promise<Port> {
  await checkNotInTrunk(context, id);
  const port = await getPort(context, id);
  if (port.device_id) throw portInUse(port);
  return port;
}

/** @throws 409 if a port is the parent or a subport of a trunk */
export async function checkNotInTrunk({ db }: Context, portId: string): Promise<void> {
  if (await subPortOf(db, portId))
    throw inConflict('TrunkPortInUse', `Port ${portId} is in use by another trunk.`);
  if (await trunkTable.exists(db, { port_id: portId })) throw parentInUse(portId);
}
