// Plans the networks, ports and security groups of a new server. Upstream: nova/network/neutron.py,
// validate_networks.
import type { Where } from '../../../../kernel/db/listing.ts';
import { firstRepeated, grouped } from '../../../../kernel/db/grouping.ts';
import { isUuidLike } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import { elevated } from '../../../../kernel/context.ts';
import { parseIp } from '../../ip.ts';
import { addressesOf, portWithAddress } from '../../store/addresses.ts';
import { ofProjectOrShared, sharedWith } from '../../store/sharing.ts';
import { groupTable, networkTable, portTable } from '../../store/tables.ts';
import { ensureTopology } from '../auto-topologies.ts';
import { subnetsOf } from '../ports/candidate-subnets.ts';
import { bad, denied, inConflict } from '../refusals.ts';
import type { Network, Port, SecurityGroup } from '../../model.ts';
import { NetworkError } from '../../network-error.ts';
import { ensureDefaultGroup } from '../security-groups/security-groups.ts';
import { subnetOf } from '../subnets/subnets.ts';
import { visibility } from '../visibility.ts';

/** A network or a port that a server requests by id. */
export interface NetworkRequest {
  readonly uuid?: string | undefined;
  readonly port?: string | undefined;
  readonly fixedIp?: string | undefined;
}

/** An interface of a new server: a new port on a network, or an existing port. */
export type NetworkPlan =
  { readonly network: Network; readonly fixedIp?: string } | { readonly port: Port };

/** Returns the networks that servers of a project can use: its own and shared ones. */
const networksFor = (
  { db }: Context,
  projectId: string,
  where: Where<Network> = {},
): Promise<Network[]> =>
  networkTable.list(db, { where, conditions: [networksInUseBy(db, projectId)] });

const networksInUseBy = ofProjectOrShared('network', 'network_networks');

const isShared = async ({ db }: Context, projectId: string, { id }: Network): Promise<boolean> =>
  (await sharedWith(db, projectId, [id])).has(id);

/**
 * Returns the interfaces of a new server. Without requests, or for `auto`, it gets one on the
 * project's only network. If there is no network, it gets none, or that of the project's automatic
 * topology for `auto`.
 * @throws 400, 403, 409 with the name of Nova's exception in `type`
 */
export async function planNetworks(
  context: Context,
  projectId: string,
  requests: 'auto' | 'none' | readonly NetworkRequest[] | undefined,
): Promise<NetworkPlan[]> {
  if (requests === 'none') return [];
  if (requests === undefined || requests === 'auto' || !requests.length)
    return onlyNetwork(context, projectId, requests === 'auto');
  const plans: NetworkPlan[] = [];
  for (const request of requests)
    plans.push(
      request.port === undefined
        ? await onNetwork(context, projectId, request)
        : await withPort(context, request.port),
    );
  const duplicate = firstRepeated(plans.flatMap((plan) => ('port' in plan ? [plan.port.id] : [])));
  if (duplicate !== undefined)
    throw bad('NetworkDuplicated', `Network ${duplicate} is duplicated.`);
  return plans;
}

async function onlyNetwork(
  context: Context,
  projectId: string,
  isAuto: boolean,
): Promise<NetworkPlan[]> {
  const where = isAuto ? { admin_state_up: true } : {};
  const [network, ...more] = await networksFor(context, projectId, where);
  if (more.length) {
    throw inConflict(
      'NetworkAmbiguous',
      'Multiple possible networks found, use a Network ID to be more specific.',
    );
  }
  if (network) return [{ network: await checkUsable(context, projectId, network) }];
  return isAuto ? [{ network: await automaticNetwork(context, projectId) }] : [];
}

/** The network of a project's automatic topology, which it gets if it has none. @throws 400 */
async function automaticNetwork(context: Context, projectId: string): Promise<Network> {
  try {
    const { network_id: id } = await ensureTopology(context, projectId);
    return (await networkTable.find(context.db, { id }))!;
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    throw bad(
      'UnableToAutoAllocateNetwork',
      `Unable to automatically allocate a network for project ${projectId}`,
    );
  }
}

async function onNetwork(
  context: Context,
  projectId: string,
  { uuid = '', fixedIp }: NetworkRequest,
): Promise<NetworkPlan> {
  const isVisible = visibility.network(context.db, projectId);
  const network = await networkTable.findById(
    context.db,
    uuid,
    context.actor.isAdmin ? [] : [isVisible],
  );
  if (!network) throw bad('NetworkNotFound', `Network ${uuid} could not be found.`);
  await checkUsable(context, projectId, network);
  if (fixedIp === undefined) return { network };
  const subnet = subnetOf(await subnetsOf(context, network.id), fixedIp);
  if (!subnet) {
    throw bad(
      'FixedIpInvalidOnNetwork',
      `Fixed IP ${fixedIp} is not a valid ip address for network ${network.id}.`,
    );
  }
  const portId = await portWithAddress(context.db, subnet.id, parseIp(fixedIp)!);
  if (portId !== undefined) {
    const device = (await portTable.find(context.db, { id: portId }))?.device_id ?? '';
    throw bad(
      'FixedIpAlreadyInUse',
      `Fixed IP address ${fixedIp} is already in use on instance ${device}.`,
    );
  }
  return { network, fixedIp };
}

/** @throws 400 if the network has no subnets; 403 if it is external and not shared */
async function checkUsable(
  context: Context,
  projectId: string,
  network: Network,
): Promise<Network> {
  const isForbidden =
    network['router:external'] &&
    !context.actor.isAdmin &&
    !(await isShared(context, projectId, network));
  if (isForbidden) {
    throw denied(
      'ExternalNetworkAttachForbidden',
      `It is not allowed to create an interface on external network ${network.id}`,
    );
  }
  if ((await subnetsOf(context, network.id)).length) return network;
  throw bad(
    'NetworkRequiresSubnet',
    `Network ${network.id} requires a subnet in order to boot instances on.`,
  );
}

async function withPort(context: Context, id: string): Promise<NetworkPlan> {
  const port = await portTable.find(context.db, { id });
  if (!port || !(await seesPort(context, port)))
    throw bad('PortNotFound', `Port id ${id} could not be found.`);
  if (port.device_id) throw inConflict('PortInUse', `Port ${id} is still in use.`);
  // A port without a host may get its addresses with the host, or be meant to have none.
  const mayHaveNone = port.ip_allocation !== 'immediate';
  if (!mayHaveNone && !(await addressesOf(context.db, [id])).get(id)?.length) {
    throw bad('PortRequiresFixedIP', `Port ${id} requires a FixedIP in order to be used.`);
  }
  return { port };
}

/** Whether the port, or its network, belongs to the actor's project. */
async function seesPort({ db, actor }: Context, port: Port): Promise<boolean> {
  if (actor.isAdmin || port.project_id === actor.projectId) return true;
  const network = (await networkTable.find(db, { id: port.network_id }))!;
  return network.project_id === actor.projectId;
}

/** The segments on which a server may get its addresses. */
export interface RequestedSegments {
  /** None, if the network is not a routed one. */
  readonly ids: readonly string[];
  /** The subnet that decides; undefined if any of the network would do. */
  readonly subnetId?: string;
  readonly networkId: string;
}

/**
 * The segments of the subnets of a network, or that of the first address of a port. Upstream:
 * get_segment_ids_for_network and its neighbour in nova/network/neutron.py.
 */
export async function segmentsFor(
  context: Context,
  { uuid, port: portId }: NetworkRequest,
): Promise<RequestedSegments> {
  const { db } = context;
  const port = portId === undefined ? undefined : await portTable.find(db, { id: portId });
  const fixed = port && (await addressesOf(db, [port.id])).get(port.id)?.[0];
  const networkId = port?.network_id ?? uuid ?? '';
  const subnets = (await subnetsOf(context, networkId)).filter(
    ({ id }) => !fixed || id === fixed.subnet_id,
  );
  const ids = [...new Set(subnets.flatMap(({ segment_id: id }) => id ?? []))];
  return { ids, networkId, ...(fixed && { subnetId: fixed.subnet_id }) };
}

/**
 * Finds security groups of a project, or that others share with it, by name or id.
 * @throws 400, 409
 */
export async function findSecurityGroups(
  context: Context,
  projectId: string,
  names: readonly string[],
): Promise<SecurityGroup[]> {
  if (names.includes('default')) await ensureDefaultGroup(elevated(context), projectId);
  const own = await groupTable.list(context.db, {
    conditions: [visibility.group(context.db, projectId)],
  });
  const ids = new Map(own.map((group) => [group.id, group]));
  const byName = grouped(own, (group) => group.name);
  return [...new Set(names)].map((name) => {
    const byId = isUuidLike(name) ? ids.get(name) : undefined;
    const matching = byId ? [byId] : (byName.get(name) ?? []);
    const [only, ...more] = matching;
    if (more.length) {
      throw inConflict(
        'NoUniqueMatch',
        `Multiple security groups found matching '${name}'. Use an ID to be more specific.`,
      );
    }
    if (only) return only;
    throw bad(
      'SecurityGroupNotFoundForProject',
      `Security group ${name} not found for project ${projectId}.`,
    );
  });
}
