// Adds and removes the interfaces of routers: subnets and ports. Upstream: neutron/db/l3_db.py.
import { addressesOf } from '../../store/addresses.ts';
import {
  floatingipTable,
  forwardingTable,
  networkTable,
  portTable,
  routerTable,
  subnetTable,
} from '../../store/tables.ts';
import { elevated } from '../../../../kernel/context.ts';
import type { Context } from '../../../../kernel/model.ts';
import { contains, inPool, parseCidr, parseIp } from '../../ip.ts';
import { reallocate } from '../ports/allocation.ts';
import { uuid } from '../attributes/checks.ts';
import { getPort, getSubnet, seesAll } from '../visibility.ts';
import { createPort, deletePortUnchecked, touchPort } from '../ports/ports.ts';
import { deviceOwners, type FixedIp, type Port, type Router, type Subnet } from '../../model.ts';
import { absent, bad, badResource, inConflict, portInUse } from '../refusals.ts';
import { checkNewSubnets, portsOfRouter } from './routers.ts';

/** The reply when an interface is added or removed. */
export interface Interface {
  readonly id: string;
  readonly project_id: string;
  readonly tenant_id: string;
  readonly port_id: string;
  readonly network_id: string;
  readonly subnet_id: string;
  readonly subnet_ids: readonly string[];
}

interface Named {
  readonly port_id?: string;
  readonly subnet_id?: string;
}

/** @throws 400 if the body names neither a port nor a subnet */
function named(body: unknown): Named {
  const info = (
    typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {}
  ) as Record<string, unknown>;
  if (!('port_id' in info) && !('subnet_id' in info))
    throw badResource('router', 'Either subnet_id or port_id must be specified');
  for (const key of ['port_id', 'subnet_id']) {
    const problem = key in info ? uuid(info[key]) : undefined;
    if (problem !== undefined) throw badResource('router', problem);
  }
  return info as Named;
}

const interfaceOf = (router: Router, port: Port, subnets: readonly Subnet[]): Interface => ({
  id: router.id,
  project_id: port.project_id,
  tenant_id: port.project_id,
  port_id: port.id,
  network_id: port.network_id,
  subnet_id: subnets.at(-1)!.id,
  subnet_ids: subnets.map((subnet) => subnet.id),
});

export async function addInterface(
  context: Context,
  router: Router,
  body: unknown,
): Promise<Interface> {
  const { port_id: portId, subnet_id: subnetId } = named(body);
  if (portId !== undefined && subnetId !== undefined)
    throw badResource('router', 'Cannot specify both subnet-id and port-id');
  const added =
    portId === undefined
      ? await addSubnet(context, router, subnetId!)
      : await addPort(context, router, portId);
  // Conflict with transactions that add a subnet, which might overlap with this one.
  await routerTable.touch(context.db, router, context.now);
  return added;
}

async function addSubnet(context: Context, router: Router, id: string): Promise<Interface> {
  const subnet = await getSubnet(context, id);
  if (!subnet.gateway_ip)
    throw badResource('router', 'Subnet for router interface must have a gateway IP');
  if (subnet.project_id !== context.actor.projectId && !context.actor.isAdmin) {
    throw badResource(
      'router',
      `Cannot add interface to router because subnet ${id} is not owned by project making the ` +
        'request',
    );
  }
  checkModes(subnet);
  await checkNewSubnets(context, router, [subnet]);
  const fixed = { subnet_id: subnet.id, ip_address: subnet.gateway_ip };
  const shared =
    subnet.ip_version === 6 ? await ipv6PortOn(context, router, subnet.network_id) : undefined;
  if (shared) {
    await reallocate(context, shared.port, [...shared.fixed, fixed]);
    await touchPort(context, shared.port);
    return interfaceOf(router, shared.port, [subnet]);
  }
  const network = (await networkTable.find(context.db, { id: subnet.network_id }))!;
  const port = await createPort(elevated(context), network, {
    project_id: router.project_id,
    device_id: router.id,
    device_owner: deviceOwners.routerInterface,
    fixed_ips: [fixed],
  });
  return interfaceOf(router, port, [subnet]);
}

/**
 * @throws 400 if router advertisements on the subnet come from a router outside OpenStack.
 *   Upstream: _validate_subnet_address_mode.
 */
function checkModes({
  ip_version: version,
  ipv6_ra_mode: ra,
  ipv6_address_mode: address,
}: Subnet): void {
  if (version !== 6 || ra !== null || address === null) return;
  throw badResource(
    'router',
    'IPv6 subnet cannot be added to router: ipv6_ra_mode is not set while ipv6_address_mode is ' +
      address,
  );
}

/** Returns the port of a router that serves all IPv6 subnets of a network. */
async function ipv6PortOn(context: Context, router: Router, networkId: string) {
  const ports = await portsOfRouter(context, router.id);
  return ports.find(
    ({ port, fixed }) =>
      port.device_owner === deviceOwners.routerInterface &&
      port.network_id === networkId &&
      fixed.some(({ ip_address }) => parseIp(ip_address)!.version === 6),
  );
}

async function addPort(context: Context, router: Router, id: string): Promise<Interface> {
  const port = await getPort(context, id);
  if (port.device_id !== '') throw portInUse(port);
  const fixed = (await addressesOf(context.db, [id])).get(id) ?? [];
  if (!fixed.length) throw badResource('router', 'Router port must have at least one fixed IP');
  const subnets = await subnetsInOrder(context, fixed);
  for (const subnet of subnets) checkModes(subnet);
  await checkNewSubnets(context, router, subnets, id);
  if (subnets.filter((subnet) => subnet.ip_version === 4).length > 1) {
    throw badResource('router', 'Cannot have multiple IPv4 subnets on router port');
  }
  checkInPools(context, port, fixed, subnets);
  const existing = subnets.some((subnet) => subnet.ip_version === 6)
    ? await ipv6PortOn(context, router, port.network_id)
    : undefined;
  if (existing) {
    throw badResource(
      'router',
      `Router already contains IPv6 port ${existing.port.id} belonging to network id ` +
        `${port.network_id}. Only one IPv6 port from the same network subnet can be connected to ` +
        'a router.',
    );
  }
  const fields = {
    device_id: router.id,
    device_owner: deviceOwners.routerInterface,
    status: 'ACTIVE' as const,
  };
  const attached = await portTable.change(context.db, port, fields, context.now);
  return interfaceOf(router, attached, subnets);
}

async function subnetsInOrder({ db }: Context, fixed: readonly FixedIp[]): Promise<Subnet[]> {
  const ids = [...new Set(fixed.map(({ subnet_id }) => subnet_id))];
  const found = new Map((await subnetTable.among(db, 'id', ids)).map((one) => [one.id, one]));
  return ids.map((id) => found.get(id)!);
}

/** @throws 400 if an address on another project's subnet is outside its allocation pools */
function checkInPools(
  { actor }: Context,
  port: Port,
  fixed: readonly FixedIp[],
  subnets: readonly Subnet[],
): void {
  if (seesAll(actor)) return;
  const byId = new Map(subnets.map((subnet) => [subnet.id, subnet]));
  for (const { subnet_id: id, ip_address: ip } of fixed) {
    const subnet = byId.get(id)!;
    if (
      subnet.project_id === actor.projectId ||
      subnet.allocation_pools.some((pool) => inPool(parseIp(ip)!.value, pool))
    )
      continue;
    throw badResource(
      'router',
      `Cannot add interface to router because specified port ${port.id} has an IP address out ` +
        `of the allocation pool of subnet ${id}, which is not owned by the project making the ` +
        'request',
    );
  }
}

export async function removeInterface(
  context: Context,
  router: Router,
  body: unknown,
): Promise<Interface> {
  const { port_id: portId, subnet_id: subnetId } = named(body);
  const attached = (await portsOfRouter(context, router.id)).filter(
    ({ port }) => port.device_owner === deviceOwners.routerInterface,
  );
  const removed =
    portId === undefined
      ? await removeSubnet(context, router, attached, subnetId!)
      : await removePort(context, router, attached, portId, subnetId);
  await routerTable.touch(context.db, router, context.now);
  return removed;
}

type Attached = { readonly port: Port; readonly fixed: readonly FixedIp[] };

async function removePort(
  context: Context,
  router: Router,
  attached: readonly Attached[],
  id: string,
  subnetId?: string,
): Promise<Interface> {
  const found = attached.find(({ port }) => port.id === id);
  if (!found)
    throw absent(
      'RouterInterfaceNotFound',
      `Router ${router.id} does not have an interface with id ${id}`,
    );
  const subnets = await subnetsInOrder(context, found.fixed);
  if (subnetId !== undefined && !subnets.some((subnet) => subnet.id === subnetId)) {
    throw bad(
      'SubnetMismatchForPort',
      `Subnet on port ${id} does not match the requested subnet ${subnetId}.`,
    );
  }
  for (const subnet of subnets) await checkNotRequired(context, router, subnet);
  await deletePortUnchecked(context, found.port);
  return interfaceOf(router, found.port, subnets);
}

async function removeSubnet(
  context: Context,
  router: Router,
  attached: readonly Attached[],
  id: string,
): Promise<Interface> {
  const subnet = await getSubnet(context, id);
  const found = attached.find(({ fixed }) => fixed.some(({ subnet_id }) => subnet_id === id));
  if (!found)
    throw absent(
      'RouterInterfaceNotFoundForSubnet',
      `Router ${router.id} has no interface on subnet ${id}`,
    );
  await checkNotRequired(context, router, subnet);
  const remaining = found.fixed.filter(({ subnet_id }) => subnet_id !== id);
  if (remaining.length) {
    await reallocate(context, found.port, remaining);
    await touchPort(context, found.port);
  } else await deletePortUnchecked(context, found.port);
  return interfaceOf(router, found.port, [subnet]);
}

/** @throws 409 if floating IPs, their port forwardings or routes of the router need the subnet */
async function checkNotRequired({ db }: Context, router: Router, subnet: Subnet): Promise<void> {
  const cidr = parseCidr(subnet.cidr)!;
  if (router.routes.some(({ nexthop }) => contains(cidr, parseIp(nexthop)!))) {
    throw inConflict(
      'RouterInterfaceInUseByRoute',
      `Router interface for subnet ${subnet.id} on router ${router.id} cannot be deleted, as ` +
        'it is required by one or more routes.',
    );
  }
  const floating = await floatingipTable.list(db, { where: { router_id: router.id } });
  const forwardings = await forwardingTable.among(
    db,
    'floatingip_id',
    floating.map(({ id }) => id),
  );
  const inside = [
    ...floating.map(({ port_id, fixed_ip_address }) => [port_id, fixed_ip_address] as const),
    ...forwardings.map((one) => [one.internal_port_id, one.internal_ip_address] as const),
  ];
  const ports = await portTable.among(
    db,
    'id',
    inside.flatMap(([id]) => (id === null ? [] : [id])),
    { network_id: subnet.network_id },
  );
  const onNetwork = new Set<string | null>(ports.map((port) => port.id));
  const needing = inside.some(
    ([portId, ip]) => ip !== null && contains(cidr, parseIp(ip)!) && onNetwork.has(portId),
  );
  if (!needing) return;
  throw inConflict(
    'RouterInterfaceInUseByFloatingIP',
    `Router interface for subnet ${subnet.id} on router ${router.id} cannot be deleted, as it ` +
      'is required by one or more floating IPs.',
  );
}
