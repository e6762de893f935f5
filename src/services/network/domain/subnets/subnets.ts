// Subnets: allocation of their prefixes, updates and deletion. Upstream:
// neutron/db/db_base_plugin_v2.py.
import {
  addressesOf,
  releaseAddressesOnSubnet,
  portsOnSubnet,
  assignAddress,
} from '../../store/addresses.ts';
import { setTags } from '../../store/tags.ts';
import { networkTable, portTable, subnetpoolTable, subnetTable } from '../../store/tables.ts';
import type { Context } from '../../../../kernel/model.ts';
import {
  contains,
  eui64,
  formatIp,
  formatNetwork,
  parseCidr,
  parseIp,
  type Cidr,
  type Pool,
} from '../../ip.ts';
import { scheduleOn } from '../agents/agents.ts';
import { refreshDhcpPorts } from '../agents/dhcp-ports.ts';
import { checkMtu } from '../networks/mtu.ts';
import {
  acceptsOwner,
  candidatesAmong,
  subnetsOf,
  subnetsOnHost,
} from '../ports/candidate-subnets.ts';
import { reportSegment } from '../segments/hosts.ts';
import {
  checkNewSegment,
  checkSegmentChange,
  peerRoutes,
  requireSegment,
  updatePeerRoutes,
} from '../segments/subnets.ts';
import type { Fields } from '../attributes/definitions.ts';
import { getNetwork, getSubnetpool } from '../visibility.ts';
import { networkSettings, type NetworkSettings } from '../settings.ts';
import { storedFields, newStandard } from '../standard.ts';
import {
  checkDhcp,
  checkGateway,
  checkGatewayOutside,
  checkLists,
  checkOverlap,
  checkPools,
  checkSpec,
  poolsFor,
  specOf,
} from './checks.ts';
import { allocatePrefix, poolIdFor } from '../subnetpools/subnetpools.ts';
import {
  isAutoDeleted,
  isAutoAddressed,
  deviceOwners,
  type HostRoute,
  type Network,
  type Port,
  type Subnet,
  type Subnetpool,
} from '../../model.ts';
import {
  addressInUse,
  bad,
  badResource,
  inConflict,
  invalidInput,
  subnetInUse,
} from '../refusals.ts';

/** A network, and what a new subnet of it is checked against. */
interface Surroundings {
  readonly network: Network;
  /** The subnets that the network has. */
  readonly others: readonly Subnet[];
  readonly settings: NetworkSettings;
}

/**
 * Creates subnets on the networks that a body names, and then, once for each network, its DHCP
 * ports. It reads the subnets of each network once, so that many cost no more than in proportion.
 * @throws 404 if the actor does not see one of the networks
 */
export async function createSubnets(
  context: Context,
  items: readonly Fields[],
  settings: NetworkSettings,
): Promise<Subnet[]> {
  const subnets: Subnet[] = [];
  const served = new Map<string, Network>();
  /** The subnets of each network, with the new ones. */
  const existing = new Map<string, Subnet[]>();
  for (const fields of items) {
    const network = await getNetwork(context, fields['network_id'] as string);
    const others = existing.get(network.id) ?? (await subnetsOf(context, network.id));
    existing.set(network.id, others);
    const subnet = await addSubnet(context, { network, others, settings }, fields);
    // A subnet on a segment changes the routes of the others.
    if (subnet.segment_id === null) others.push(subnet);
    else existing.set(network.id, await subnetsOf(context, network.id));
    subnets.push(subnet);
    if (subnet.enable_dhcp) served.set(network.id, network);
  }
  for (const network of served.values())
    await serveDhcp(context, network, existing.get(network.id));
  return subnets;
}

/** Creates a subnet with that id. */
export async function createSubnet(
  context: Context,
  network: Network,
  fields: Fields,
  id: string,
): Promise<Subnet> {
  const settings = await networkSettings.load(context.db);
  const others = await subnetsOf(context, network.id);
  const subnet = await addSubnet(context, { network, others, settings }, fields, id);
  if (subnet.enable_dhcp) await serveDhcp(context, network, [...others, subnet]);
  return subnet;
}

async function addSubnet(
  context: Context,
  surroundings: Surroundings,
  fields: Fields,
  id?: string,
): Promise<Subnet> {
  const { db, now } = context;
  const { network, others, settings } = surroundings;
  const { cidr, poolId } = await cidrFor(context, others, fields);
  const spec = specOf(fields, cidr);
  checkSpec(spec, fields, 'new subnet', settings);
  checkMtu(network.id, network.mtu, [spec.version]);
  checkOverlap(network, cidr, others);
  const gateway = spec.gateway === undefined ? firstHost(cidr) : spec.gateway;
  const pools = poolsFor(cidr, gateway, fields['allocation_pools'] as Pool[] | undefined);
  const subnet: Subnet = {
    ...newStandard(fields, now, id),
    name: fields['name'] as string,
    network_id: network.id,
    ip_version: spec.version,
    cidr: formatNetwork(cidr),
    gateway_ip: gateway,
    enable_dhcp: spec.dhcp,
    ipv6_ra_mode: spec.raMode,
    ipv6_address_mode: spec.addressMode,
    allocation_pools: pools,
    dns_nameservers: (fields['dns_nameservers'] ?? []) as string[],
    host_routes: (fields['host_routes'] ?? []) as HostRoute[],
    subnetpool_id: poolId,
    service_types: (fields['service_types'] ?? []) as string[],
    segment_id: (fields['segment_id'] ?? null) as string | null,
  };
  const segment = await requireSegment(context, subnet.segment_id);
  await subnetTable.create(db, subnet);
  checkNewSegment(subnet, segment, others);
  // Conflict with transactions that might create an overlapping subnet.
  await networkTable.touch(db, network, now);
  if (isAutoAddressed(subnet)) await assignAutoAddresses(context, subnet, others, cidr);
  return subnet.segment_id === null ? subnet : joinSegment(context, subnet, others);
}

/** Adds the routes to and from the subnets on other segments. @returns the new subnet */
async function joinSegment(
  context: Context,
  subnet: Subnet,
  others: readonly Subnet[],
): Promise<Subnet> {
  const updated = await updatePeerRoutes(context, [...others, subnet]);
  await reportSegment(context, subnet.segment_id!);
  return updated.at(-1)!;
}

/**
 * Returns the prefix of a new subnet: the requested one, or one from its subnet pool.
 * @throws 400, 404, 409
 */
async function cidrFor(
  context: Context,
  others: readonly Subnet[],
  fields: Fields,
): Promise<{ cidr: Cidr; poolId: string | null }> {
  const named = parseCidr(fields['cidr'] ?? null);
  if (named && fields['prefixlen'] !== undefined)
    throw badResource('subnets', 'cidr and prefixlen must not be supplied together');
  const poolId = await poolIdFor(context, fields);
  if (poolId === undefined && !named)
    throw badResource('subnets', 'a subnetpool must be specified in the absence of a cidr');
  if (poolId !== undefined && !named && fields['allocation_pools'] !== undefined)
    throw badResource('subnets', 'allocation_pools allowed only for specific subnet requests.');
  const pool = poolId === undefined ? undefined : await getSubnetpool(context, poolId);
  const version = (pool?.ip_version ?? fields['ip_version']) as number;
  await checkAffinity(
    context,
    others.filter(({ ip_version }) => ip_version === version),
    pool,
  );
  return {
    cidr: pool ? await allocatePrefix(context, pool, fields) : named!,
    poolId: pool?.id ?? null,
  };
}

/**
 * Checks that all subnets of a network and an IP version come from one pool, or from pools of one
 * address scope.
 * @param others the subnets that the network has of that version
 * @throws 400
 */
async function checkAffinity(
  { db }: Context,
  others: readonly Subnet[],
  pool: Subnetpool | undefined,
): Promise<void> {
  const pools = await subnetpoolTable.among(
    db,
    'id',
    others.flatMap((one) => one.subnetpool_id ?? []),
  );
  const scope = pools.find((one) => one.address_scope_id !== null)?.address_scope_id;
  if (scope && pool) {
    if (pool.address_scope_id === scope) return;
    throw bad(
      'NetworkAddressScopeAffinityError',
      'Subnets of the same address family hosted on the same network must all participate in ' +
        'the same address scope.',
    );
  }
  if (others.some((one) => one.subnetpool_id !== (pool?.id ?? null)))
    throw bad(
      'NetworkSubnetPoolAffinityError',
      'Subnets hosted on the same network must be allocated from the same subnet pool.',
    );
}

/** Returns the first host address, which is the default gateway. */
const firstHost = (cidr: Cidr): string =>
  formatIp({
    version: cidr.ip.version,
    value: cidr.last - cidr.first > 1n ? cidr.first + 1n : cidr.first,
  });

/** Schedules a network with DHCP, and brings its DHCP ports up to date. */
async function serveDhcp(
  context: Context,
  network: Network,
  subnets?: readonly Subnet[],
): Promise<void> {
  await scheduleOn(context, 'DHCP agent', network.id);
  await refreshDhcpPorts(context, network, subnets);
}

/**
 * Assigns an address on a new auto-addressed subnet to each port of the network but those of
 * routers, and those that do not reach its segment.
 */
async function assignAutoAddresses(
  context: Context,
  subnet: Subnet,
  others: readonly Subnet[],
  cidr: Cidr,
): Promise<void> {
  const { db } = context;
  for (const port of await portTable.list(db, { where: { network_id: [subnet.network_id] } })) {
    const { device_owner: owner } = port;
    if (owner === deviceOwners.routerInterface || !acceptsOwner(subnet, owner)) continue;
    if (!(await reaches(context, port, subnet, others))) continue;
    const fixed = { subnet_id: subnet.id, ip_address: formatIp(eui64(cidr, port.mac_address)) };
    await assignAddress(db, port.id, fixed, addressInUse(subnet.network_id, fixed.ip_address));
  }
}

/** Whether a port may have an address on a subnet: one on a segment, if it is on that segment. */
async function reaches(
  context: Context,
  port: Port,
  subnet: Subnet,
  others: readonly Subnet[],
): Promise<boolean> {
  if (subnet.segment_id === null) return true;
  if (port['binding:host_id'] !== '')
    return (await subnetsOnHost(context, [subnet], port['binding:host_id'])).length > 0;
  const fixed = (await addressesOf(context.db, [port.id])).get(port.id) ?? [];
  const candidates = await candidatesAmong(context, [...others, subnet], port, fixed);
  return candidates.includes(subnet.id);
}

export async function updateSubnet(
  context: Context,
  subnet: Subnet,
  fields: Fields,
): Promise<Subnet> {
  const { db, now } = context;
  const network = await networkOf(context, subnet);
  const cidr = parseCidr(subnet.cidr)!;
  const version = subnet.ip_version as 4 | 6;
  if (fields['enable_dhcp'] === true && !subnet.enable_dhcp) checkDhcp(cidr);
  const gateway =
    'gateway_ip' in fields ? (fields['gateway_ip'] as string | null) : subnet.gateway_ip;
  if (gateway !== subnet.gateway_ip) {
    if (gateway) checkGateway(version, cidr, gateway);
    await checkGatewayUnused(context, subnet);
  }
  checkLists(version, fields, subnet.id, await networkSettings.load(db));
  const pools = fields['allocation_pools'] as Pool[] | undefined;
  if (pools) checkPools(cidr, pools);
  if (pools || gateway !== subnet.gateway_ip)
    checkGatewayOutside(gateway, pools ?? subnet.allocation_pools);
  if (fields['enable_dhcp'] === false && (subnet.ipv6_ra_mode || subnet.ipv6_address_mode)) {
    throw invalidInput(
      'ipv6_ra_mode or ipv6_address_mode cannot be set when enable_dhcp is set to False',
    );
  }
  const routes = await changedRoutes(context, { ...subnet, gateway_ip: gateway }, subnet, fields);
  const next = await subnetTable.change(
    db,
    subnet,
    { ...storedFields(subnetTable, fields), ...routes },
    now,
  );
  await networkTable.touch(db, network, now);
  if (next.segment_id !== null) await reportSegment(context, next.segment_id);
  if (next.enable_dhcp && !subnet.enable_dhcp) await serveDhcp(context, network);
  else if (next.enable_dhcp !== subnet.enable_dhcp) await refreshDhcpPorts(context, network);
  return next;
}

/**
 * The routes of a subnet after an update: those to other segments follow its gateway.
 * @throws 400, 404 if the subnet cannot be on the segment that it gets
 */
async function changedRoutes(
  context: Context,
  next: Subnet,
  before: Subnet,
  fields: Fields,
): Promise<Partial<Subnet>> {
  const segmentId = 'segment_id' in fields ? (fields['segment_id'] as string | null) : undefined;
  const current = segmentId === undefined ? before.segment_id : segmentId;
  if (segmentId === undefined && current === null) return {};
  const all = await subnetsOf(context, before.network_id);
  if (segmentId !== undefined) await checkSegmentChange(context, before, segmentId, all);
  const isMoved = next.gateway_ip !== before.gateway_ip;
  if (current === null || !(isMoved || 'host_routes' in fields)) return {};
  const host_routes = (fields['host_routes'] ?? before.host_routes) as readonly HostRoute[];
  return {
    host_routes: peerRoutes(
      { ...next, segment_id: current, host_routes },
      all,
      isMoved ? { gateway: before.gateway_ip } : {},
    ),
  };
}

const networkOf = async ({ db }: Context, subnet: Subnet): Promise<Network> =>
  (await networkTable.find(db, { id: subnet.network_id }))!;

/** @throws 409 if a router has the gateway's address */
async function checkGatewayUnused({ db }: Context, subnet: Subnet): Promise<void> {
  if (!subnet.gateway_ip) return;
  const ports = await portTable.among(db, 'id', await portsOnSubnet(db, subnet.id));
  const router = ports.filter((port) => port.device_owner === deviceOwners.routerInterface);
  if (!router.length) return;
  const addresses = await addressesOf(
    db,
    router.map((port) => port.id),
  );
  const holder = router.find((port) =>
    addresses.get(port.id)?.some(({ ip_address }) => ip_address === subnet.gateway_ip),
  );
  if (!holder) return;
  throw inConflict(
    'GatewayIpInUse',
    `Current gateway ip ${subnet.gateway_ip} already in use by port ${holder.id}. Unable to ` +
      'update.',
  );
}

/**
 * Deletes a subnet with the addresses of its auto-addressed ports.
 * @throws 409 if other ports have addresses on it
 */
export async function deleteSubnet(context: Context, subnet: Subnet): Promise<void> {
  const { db, now } = context;
  const network = await networkOf(context, subnet);
  const ports = await portTable.among(db, 'id', await portsOnSubnet(db, subnet.id));
  const holding = ports.filter(
    ({ device_owner: owner }) =>
      owner === deviceOwners.routerInterface || !(isAutoAddressed(subnet) || isAutoDeleted(owner)),
  );
  if (holding.length) throw subnetInUse(subnet.id);
  if (subnet.segment_id !== null && isAutoAddressed(subnet))
    await checkOnlyAddress(context, subnet, ports);
  await releaseAddressesOnSubnet(
    db,
    subnet.id,
    ports.map(({ id }) => id),
  );
  await setTags(db, subnet.id, []);
  await subnetTable.delete(db, subnet);
  await networkTable.touch(db, network, now);
  if (subnet.segment_id !== null) {
    const left = await subnetsOf(context, network.id);
    await updatePeerRoutes(context, left, { deleted: subnet.cidr });
    await reportSegment(context, subnet.segment_id);
  }
  if (subnet.enable_dhcp) await refreshDhcpPorts(context, network);
}

/** @throws 409 if a port has automatic addresses on this subnet only, which is on a segment */
async function checkOnlyAddress(
  { db }: Context,
  subnet: Subnet,
  ports: readonly Port[],
): Promise<void> {
  const fixed = await addressesOf(
    db,
    ports.map(({ id }) => id),
  );
  if (ports.some(({ id }) => fixed.get(id)?.every((one) => one.subnet_id === subnet.id)))
    throw subnetInUse(subnet.id);
}

/** Returns the subnet that contains an address. */
export const subnetOf = (subnets: readonly Subnet[], text: string): Subnet | undefined => {
  const ip = parseIp(text);
  return ip && subnets.find((subnet) => contains(parseCidr(subnet.cidr)!, ip));
};
