// Floating IPs: addresses on an external network that are associated with ports on project
// networks. Upstream: neutron/db/l3_db.py.
import { newUuid } from '../../../../kernel/ids.ts';
import { addressesOf } from '../../store/addresses.ts';
import { agentsHosting } from '../../store/agents.ts';
import { setTags } from '../../store/tags.ts';
import {
  floatingipTable,
  forwardingTable,
  portTable,
  routerTable,
  subnetTable,
} from '../../store/tables.ts';
import { elevated } from '../../../../kernel/context.ts';
import type { Context } from '../../../../kernel/model.ts';
import { parseIp } from '../../ip.ts';
import { subnetsOf } from '../ports/candidate-subnets.ts';
import type { Fields } from '../attributes/definitions.ts';
import { getNetwork, getPort } from '../visibility.ts';
import { storedFields, newStandard } from '../standard.ts';
import { attachedPolicy, checkExchanged } from '../qos/attachments.ts';
import { createPort, deletePortUnchecked } from '../ports/ports.ts';
import {
  deviceOwners,
  type FixedIp,
  type Floatingip,
  type Port,
  type ResourceStatus,
  type Router,
  type Subnet,
} from '../../model.ts';
import { absent, bad, badResource, checkExternal, inConflict } from '../refusals.ts';

/** The port and the router of a floating IP. */
type Association = Pick<Floatingip, 'port_id' | 'fixed_ip_address' | 'router_id' | 'status'>;

const unassociated: Association = {
  port_id: null,
  fixed_ip_address: null,
  router_id: null,
  status: 'DOWN',
};

export async function createFloatingip(context: Context, fields: Fields): Promise<Floatingip> {
  const { db, now } = context;
  const network = await getNetwork(context, fields['floating_network_id'] as string);
  checkExternal(network, 'floatingip', 'a valid');
  const subnets = (await subnetsOf(context, network.id)).filter(
    (subnet) => subnet.ip_version === 4,
  );
  if (!subnets.length)
    throw badResource('floatingip', `Network ${network.id} does not contain any IPv4 subnet`);
  const id = newUuid();
  const subnetId = fields['subnet_id'] as string | null;
  const address = fields['floating_ip_address'] as string | null;
  const fixedIp = {
    ...(subnetId === null ? {} : { subnet_id: subnetId }),
    ...(address === null ? {} : { ip_address: address }),
  };
  const port = await createPort(elevated(context), network, {
    project_id: '',
    device_id: id,
    device_owner: deviceOwners.floatingip,
    ...(Object.keys(fixedIp).length ? { fixed_ips: [fixedIp] } : {}),
  });
  const own = ((await addressesOf(db, [port.id])).get(port.id) ?? []).find(
    ({ ip_address: ip }) => parseIp(ip)!.version === 4,
  );
  if (!own)
    throw bad(
      'ExternalIpAddressExhausted',
      `Unable to find any IP address on external network ${network.id}.`,
    );
  const made: Floatingip = {
    ...newStandard(fields, now, id),
    floating_network_id: network.id,
    floating_ip_address: own.ip_address,
    floating_port_id: port.id,
    ...unassociated,
    qos_policy_id: await attachedPolicy(
      context,
      fields['project_id'] as string,
      fields['qos_policy_id'],
    ),
  };
  const floating = { ...made, ...(await associate(context, made, fields)) };
  await floatingipTable.create(db, floating);
  return floating;
}

export async function updateFloatingip(
  context: Context,
  floating: Floatingip,
  fields: Fields,
): Promise<Floatingip> {
  const association = await associate(context, floating, fields);
  const { description, qos_policy_id: policy } = storedFields(floatingipTable, fields);
  if (policy !== undefined) await checkExchanged(context, floating, policy);
  const fresh = {
    ...association,
    ...(description === undefined ? {} : { description }),
    ...(policy === undefined ? {} : { qos_policy_id: policy }),
  };
  return floatingipTable.change(context.db, floating, fresh, context.now);
}

/**
 * Reads the association that the fields of a body request. An update without a port keeps the
 * current one, except that, as upstream, an empty update clears it: _check_and_get_fip_assoc in
 * neutron/db/l3_db.py.
 * @throws 400, 404, 409
 */
async function associate(
  context: Context,
  floating: Floatingip,
  fields: Fields,
): Promise<Association> {
  const fixed = (fields['fixed_ip_address'] ?? null) as string | null;
  const named = (fields['port_id'] ?? null) as string | null;
  if (fixed !== null && !named)
    throw badResource('floatingip', 'fixed_ip_address cannot be specified without a port_id');
  const isKept = Object.keys(fields).length > 0 && !('port_id' in fields);
  const portId = isKept ? floating.port_id : named;
  // A floating IP with port forwardings stays behind their router.
  if (!portId) {
    const { router_id, status } = floating;
    return floating.port_id === null && router_id !== null
      ? { ...unassociated, router_id, status }
      : unassociated;
  }
  const port = await getPort(context, portId);
  if (port.project_id !== floating.project_id && !context.actor.isAdmin) {
    throw badResource(
      'floatingip',
      `Cannot process floating IP association with Port ${portId}, since that port is owned by ` +
        'a different project',
    );
  }
  // Upstream: is_fip_serviced in neutron/common/utils.py.
  if (port.device_owner === deviceOwners.dhcp)
    throw badResource('floatingip', `Port ${portId} is unable to be assigned a floating IP`);
  const address = chooseFixed(
    port,
    (await addressesOf(context.db, [port.id])).get(port.id) ?? [],
    fixed,
  );
  const subnet = (await subnetTable.find(context.db, { id: address.subnet_id }))!;
  const routerId = await routerFor(context, port, subnet, floating.floating_network_id);
  const where = {
    port_id: port.id,
    fixed_ip_address: [address.ip_address],
    floating_network_id: [floating.floating_network_id],
  };
  const [other] = await floatingipTable.list(context.db, { where, limit: 1 });
  if (other && other.id !== floating.id)
    throw alreadyAssociated(floating, port.id, address.ip_address);
  if (named) await checkWithoutForwardings(context, floating);
  await portTable.checkUnchanged(context.db, port); // keeps its address until this transaction ends
  const router = await routerTable.find(context.db, { id: routerId });
  if (router && routerId !== floating.router_id)
    // Keep the router's interface until this transaction ends.
    await routerTable.touch(context.db, router, context.now);
  const status = await floatingipStatusBehind(context, routerId);
  return { port_id: port.id, fixed_ip_address: address.ip_address, router_id: routerId, status };
}

export const alreadyAssociated = (floating: Floatingip, portId: string, fixedIp: string) =>
  inConflict(
    'FloatingIPPortAlreadyAssociated',
    `Cannot associate floating IP ${floating.floating_ip_address} (${floating.id}) with port ` +
      `${portId} using fixed IP ${fixedIp}, as that fixed IP already has a floating IP on ` +
      `external network ${floating.floating_network_id}.`,
  );

/** @throws 409 if ports of the floating IP are forwarded */
async function checkWithoutForwardings({ db }: Context, { id }: Floatingip): Promise<void> {
  if (!(await forwardingTable.count(db, { where: { floatingip_id: id } }))) return;
  throw inConflict(
    'FipInUseByPortForwarding',
    `Floating IP ${id} in use by Port Forwarding resources.`,
  );
}

/**
 * The status of floating IPs behind a router. Without an agent that hosts the router, nothing
 * forwards their traffic.
 */
export const floatingipStatusBehind = async (
  { db }: Context,
  routerId: string,
): Promise<ResourceStatus> => ((await agentsHosting(db, routerId)).length ? 'ACTIVE' : 'DOWN');

/** Updates the status of the floating IPs behind a router whose agents have changed. */
export async function updateFloatingipStatuses(context: Context, router: Router): Promise<void> {
  const { db, now } = context;
  // Conflict with transactions that put a floating IP behind the router.
  await routerTable.touch(db, router, now);
  const status = await floatingipStatusBehind(context, router.id);
  for (const floating of await floatingipTable.list(db, { where: { router_id: router.id } }))
    if (floating.status !== status) await floatingipTable.change(db, floating, { status }, now);
}

/** Returns the IPv4 address of the port: the requested one, or the only one. @throws 400 */
function chooseFixed(port: Port, addresses: readonly FixedIp[], requested: string | null): FixedIp {
  if (requested !== null) {
    if (parseIp(requested)!.version !== 4) {
      throw badResource(
        'floatingip',
        `Cannot process floating IP association with ${requested}, since that is not an IPv4 ` +
          'address',
      );
    }
    const found = addresses.find(({ ip_address: ip }) => ip === requested);
    if (found) return found;
    throw badResource('floatingip', `Port ${port.id} does not have fixed ip ${requested}`);
  }
  const [only, ...more] = addresses.filter(({ ip_address: ip }) => parseIp(ip)!.version === 4);
  if (!only)
    throw badResource(
      'floatingip',
      `Cannot add floating IP to port ${port.id} that has no fixed IPv4 addresses`,
    );
  if (!more.length) return only;
  throw badResource(
    'floatingip',
    `Port ${port.id} has multiple fixed IPv4 addresses.  Must provide a specific IPv4 address ` +
      'when assigning a floating IP',
  );
}

/** @throws 404 if there is no router between the subnet and the external network */
async function routerFor(
  context: Context,
  port: Port,
  subnet: Subnet,
  externalId: string,
): Promise<string> {
  const found = await routerBetween(context, port, subnet, externalId);
  if (found !== undefined) return found;
  throw absent(
    'ExternalGatewayForFloatingIPNotFound',
    `External network ${externalId} is not reachable from subnet ${subnet.id}. Therefore, ` +
      `cannot associate Port ${port.id} with a Floating IP.`,
  );
}

/**
 * Returns the id of a router between the subnet of a port and the external network, preferably the
 * router that has the subnet's gateway address.
 */
export async function routerBetween(
  { db }: Context,
  port: Port,
  subnet: Subnet,
  externalId: string,
): Promise<string | undefined> {
  const inside = await portTable.list(db, {
    where: { network_id: [port.network_id], device_owner: deviceOwners.routerInterface },
  });
  const addresses = await addressesOf(
    db,
    inside.map((one) => one.id),
  );
  const outside = await portTable.list(db, {
    where: { network_id: externalId, device_owner: deviceOwners.routerGateway },
  });
  const connected = new Set(outside.map((one) => one.device_id));
  const between = inside.flatMap(({ id, device_id: routerId }) => {
    const own = addresses.get(id)?.find(({ subnet_id }) => subnet_id === subnet.id);
    return own && connected.has(routerId) ? [{ routerId, ip: own.ip_address }] : [];
  });
  return (between.find(({ ip }) => ip === subnet.gateway_ip) ?? between[0])?.routerId;
}

export async function deleteFloatingip(context: Context, floating: Floatingip): Promise<void> {
  await checkWithoutForwardings(context, floating);
  await setTags(context.db, floating.id, []);
  await floatingipTable.delete(context.db, floating);
  const port = await portTable.find(context.db, { id: floating.floating_port_id });
  if (port) await deletePortUnchecked(elevated(context), port);
}
