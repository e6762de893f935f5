// Subnets: what makes a good one, the addresses it hands out, and when it may go. Upstream: neutron/db/db_base_plugin_v2.py.
import { addressesOf, dropAddressesOnSubnet, portsOnSubnet, takeAddress } from '../../store/addresses.ts';
import { setTags } from '../../store/tags.ts';
import { change, erase, find, findAll, insert, list, touch } from '../../store/table.ts';
import { networkTable, portTable, subnetpoolTable, subnetTable } from '../../store/tables.ts';
import type { Work } from '../../../../kernel/model.ts';
import { badGateway, contains, eui64, formatIp, formatNetwork, hostRange, overlap, parseCidr, parseIp, poolsAround, type Cidr, type Pool } from '../../ip.ts'; // prettier-ignore
import { scheduleOn } from '../agents/agents.ts';
import type { Fields } from '../attributes/definitions.ts';
import { getNetwork, getSubnetpool } from '../visibility.ts';
import { storedFields, newStandard } from '../standard.ts';
import { checkQuota } from '../quotas.ts';
import { allocatePrefix, poolIdFor } from '../subnetpools/subnetpools.ts';
import {
  isAutoDeleted,
  isAutoAddressed,
  isTrusted,
  deviceOwners,
  type HostRoute,
  type Network,
  type Subnet,
  type Subnetpool,
} from '../records.ts';
import { addressInUse, bad, badResource, inConflict, invalidInput, subnetInUse } from '../refusals.ts';

const mostNameservers = 5;
const mostRoutes = 20;

/** Creates a subnet on the network that a body names. @throws 404 where the actor sees no such network */
export const createSubnetOn = async (work: Work, fields: Fields): Promise<Subnet> =>
  createSubnet(work, await getNetwork(work, fields['network_id'] as string), fields);

export async function createSubnet(work: Work, network: Network, fields: Fields, id?: string): Promise<Subnet> {
  const { db, now } = work;
  await checkQuota(work, fields['project_id'] as string, 'subnet', 1);
  const { cidr, poolId } = await cidrFor(work, network, fields);
  const spec = specOf(fields, cidr);
  checkSpec(spec, fields, 'new subnet');
  if (network.mtu < 1280 && spec.version === 6) {
    throw inConflict('NetworkMTUSubnetConflict', `MTU of ${network.id} is not valid, subnet requires a minimum of 1280`);
  }
  const others = await list(db, subnetTable, { where: { network_id: [network.id] } });
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
  };
  await insert(db, subnetTable, subnet);
  await touch(db, networkTable, network, now); // so that two that overlap are never made at the same time
  if (subnet.enable_dhcp) await scheduleOn(work, 'DHCP agent', network.id);
  if (isAutoAddressed(subnet)) await addressPorts(work, subnet, cidr);
  return subnet;
}

/** The prefix of a new subnet: as it is asked for, or as its pool gives it. @throws 400, 404, 409 */
async function cidrFor(work: Work, network: Network, fields: Fields): Promise<{ cidr: Cidr; poolId: string | null }> {
  const named = parseCidr(fields['cidr'] ?? null);
  if (named && fields['prefixlen'] !== undefined)
    throw badResource('subnets', 'cidr and prefixlen must not be supplied together');
  const poolId = await poolIdFor(work, fields);
  if (poolId === undefined && !named) throw badResource('subnets', 'a subnetpool must be specified in the absence of a cidr');
  if (poolId !== undefined && !named && fields['allocation_pools'] !== undefined)
    throw badResource('subnets', 'allocation_pools allowed only for specific subnet requests.');
  const pool = poolId === undefined ? undefined : await getSubnetpool(work, poolId);
  await checkAffinity(work, network, (pool?.ip_version ?? fields['ip_version']) as number, pool);
  return { cidr: pool ? await allocatePrefix(work, pool, fields) : named!, poolId: pool?.id ?? null };
}

/** The subnets of a network come from one pool, or from pools of one address scope. @throws 400 */
async function checkAffinity({ db }: Work, { id }: Network, version: number, pool: Subnetpool | undefined): Promise<void> {
  const others = await list(db, subnetTable, { where: { network_id: [id], ip_version: [version] } });
  const pools = await findAll(db, subnetpoolTable, others.flatMap((one) => one.subnetpool_id ?? [])); // prettier-ignore
  const scope = pools.find((one) => one.address_scope_id !== null)?.address_scope_id;
  if (scope && pool) {
    if (pool.address_scope_id === scope) return;
    throw bad(
      'NetworkAddressScopeAffinityError',
      'Subnets of the same address family hosted on the same network must all participate in the same address scope.',
    );
  }
  if (others.some((one) => one.subnetpool_id !== (pool?.id ?? null)))
    throw bad(
      'NetworkSubnetPoolAffinityError',
      'Subnets hosted on the same network must be allocated from the same subnet pool.',
    );
}

/** The first address that a host may have. */
const firstHost = (cidr: Cidr): string =>
  formatIp({ version: cidr.ip.version, value: cidr.last - cidr.first > 1n ? cidr.first + 1n : cidr.first });

interface Spec {
  readonly version: 4 | 6;
  readonly cidr: Cidr;
  /** Null for none; undefined where nothing was said. */
  readonly gateway: string | null | undefined;
  readonly dhcp: boolean;
  readonly raMode: string | null;
  readonly addressMode: string | null;
}

const specOf = (fields: Fields, cidr: Cidr): Spec => ({
  version: fields['ip_version'] as 4 | 6,
  cidr,
  gateway: fields['gateway_ip'] as string | null | undefined,
  dhcp: fields['enable_dhcp'] as boolean,
  raMode: (fields['ipv6_ra_mode'] ?? null) as string | null,
  addressMode: (fields['ipv6_address_mode'] ?? null) as string | null,
});

/** @throws 400 */
function checkSpec(spec: Spec, fields: Fields, subject: string): void {
  checkVersion(spec.version, spec.cidr.ip.version, 'cidr', formatNetwork(spec.cidr));
  if (spec.version === 6 && spec.cidr.first === 0n) throw invalidInput("IPv6 subnet '::' is not supported");
  if (spec.cidr.prefix === 0) throw invalidInput('0 is not allowed as CIDR prefix length');
  if (spec.dhcp) checkDhcp(spec.cidr);
  if (spec.gateway) checkGateway(spec.version, spec.cidr, spec.gateway);
  checkLists(spec.version, fields, subject);
  if (spec.version === 4) {
    for (const mode of ['ipv6_ra_mode', 'ipv6_address_mode']) {
      if (fields[mode] !== undefined) throw invalidInput(`${mode} is not valid when ip_version is 4`);
    }
  } else checkIpv6Modes(spec);
}

function checkVersion(version: number, given: number, name: string, value: string): void {
  if (version !== given) throw invalidInput(`${name} '${value}' does not match the ip_version '${version}'`);
}

function checkDhcp(cidr: Cidr): void {
  const { version } = cidr.ip;
  if (cidr.prefix > (version === 4 ? 30 : 126)) {
    throw invalidInput('Subnet has a prefix length that is incompatible with DHCP service enabled');
  }
  const top = Number(version === 4 ? cidr.first >> 24n : cidr.first >> 120n);
  if (version === 4 ? top >= 224 && top <= 239 : top === 0xff)
    throw invalidInput('Multicast IP subnet is not supported if enable_dhcp is True');
  if (version === 4 && top === 127) throw invalidInput('Loopback IP subnet is not supported if enable_dhcp is True');
  if (version === 4 && cidr.first === 0n)
    throw invalidInput("First IP '0.0.0.0' of network is not supported if enable_dhcp is True.");
}

function checkGateway(version: 4 | 6, cidr: Cidr, text: string): void {
  const ip = parseIp(text)!;
  checkVersion(version, ip.version, 'gateway_ip', text);
  if (badGateway(cidr, ip)) throw invalidInput('Gateway is not valid on subnet');
}

function checkLists(version: number, fields: Fields, subject: string): void {
  const servers = (fields['dns_nameservers'] ?? []) as string[];
  if (servers.length > mostNameservers) {
    throw bad(
      'DNSNameServersExhausted',
      `Unable to complete operation for ${subject}. The number of DNS nameservers exceeds the limit ${mostNameservers}.`,
    );
  }
  for (const server of servers) checkVersion(version, parseIp(server)!.version, 'dns_nameserver', server);
  const routes = (fields['host_routes'] ?? []) as HostRoute[];
  if (routes.length > mostRoutes) {
    throw bad(
      'HostRoutesExhausted',
      `Unable to complete operation for ${subject}. The number of host routes exceeds the limit ${mostRoutes}.`,
    );
  }
  for (const { destination, nexthop } of routes) {
    checkVersion(version, parseIp(nexthop)!.version, 'nexthop', nexthop);
    checkVersion(version, parseCidr(destination)!.ip.version, 'destination', destination);
  }
}

function checkIpv6Modes({ raMode, addressMode, dhcp, cidr }: Spec): void {
  if (!dhcp && (raMode !== null || addressMode !== null)) {
    throw invalidInput('ipv6_ra_mode or ipv6_address_mode cannot be set when enable_dhcp is set to False');
  }
  if (raMode !== null && addressMode !== null && raMode !== addressMode) {
    throw invalidInput(
      `ipv6_ra_mode set to '${raMode}' with ipv6_address_mode set to '${addressMode}' is not valid. If both attributes are set, they must be the same value`,
    );
  }
  const auto = [raMode, addressMode].some((mode) => mode === 'slaac' || mode === 'dhcpv6-stateless');
  if (auto && cidr.prefix !== 64) {
    throw invalidInput(
      `Invalid CIDR ${formatNetwork(cidr)} for IPv6 address mode. OpenStack uses the EUI-64 address format, which requires the prefix to be /64`,
    );
  }
}

function checkOverlap(network: Network, cidr: Cidr, others: readonly Subnet[]): void {
  if (!others.some((other) => overlap(cidr, parseCidr(other.cidr)!))) return;
  throw invalidInput(
    `Requested subnet with cidr: ${formatNetwork(cidr)} for network: ${network.id} overlaps with another subnet`,
  );
}

/** The pools that were asked for, or all hosts. @throws 400, 409 */
function poolsFor(cidr: Cidr, gateway: string | null, asked: readonly Pool[] | undefined): readonly Pool[] {
  if (asked === undefined) return poolsAround(cidr, gateway);
  checkPools(cidr, asked);
  checkGatewayOutside(gateway, asked);
  return asked;
}

const poolText = ({ start, end }: Pool): string => `${start}-${end}`;

function checkPools(cidr: Cidr, pools: readonly Pool[]): void {
  const [first, last] = hostRange(cidr);
  const ranges = pools.map((pool) => {
    const [start, end] = [parseIp(pool.start)!, parseIp(pool.end)!];
    if (start.version !== cidr.ip.version || end.version !== start.version || start.value > end.value) {
      throw bad('InvalidAllocationPool', `The allocation pool ${poolText(pool)} is not valid.`);
    }
    if (start.value < first || end.value > last) {
      throw bad(
        'OutOfBoundsAllocationPool',
        `The allocation pool ${poolText(pool)} spans beyond the subnet cidr ${formatNetwork(cidr)}.`,
      );
    }
    return { pool, start: start.value, end: end.value };
  });
  ranges.forEach((one, index) => {
    const other = ranges.slice(index + 1).find(({ start, end }) => one.start <= end && start <= one.end);
    if (!other) return;
    throw inConflict(
      'OverlappingAllocationPools',
      `Found overlapping allocation pools: ${poolText(one.pool)} ${poolText(other.pool)} for subnet ${formatNetwork(cidr)}.`,
    );
  });
}

export const inPool = (value: bigint, { start, end }: Pool): boolean =>
  value >= parseIp(start)!.value && value <= parseIp(end)!.value;

function checkGatewayOutside(gateway: string | null, pools: readonly Pool[]): void {
  const value = parseIp(gateway)?.value;
  const pool = value === undefined ? undefined : pools.find((one) => inPool(value, one));
  if (!pool) return;
  throw inConflict(
    'GatewayConflictWithAllocationPools',
    `Gateway ip ${gateway} conflicts with allocation pool ${poolText(pool)}.`,
  );
}

/** Behind the addresses that ports have already. */
const lastPlace = 100;

/** Gives the ports of the network an address on a new subnet whose hosts configure their own. */
async function addressPorts({ db }: Work, subnet: Subnet, cidr: Cidr): Promise<void> {
  for (const port of await list(db, portTable, { where: { network_id: [subnet.network_id] } })) {
    if (isTrusted(port.device_owner)) continue;
    const fixed = { subnet_id: subnet.id, ip_address: formatIp(eui64(cidr, port.mac_address)) };
    await takeAddress(db, port.id, lastPlace, fixed, addressInUse(subnet.network_id, fixed.ip_address));
  }
}

export async function updateSubnet(work: Work, subnet: Subnet, fields: Fields): Promise<Subnet> {
  const { db, now } = work;
  const network = await networkOf(work, subnet);
  const cidr = parseCidr(subnet.cidr)!;
  const version = subnet.ip_version as 4 | 6;
  if (fields['enable_dhcp'] === true && !subnet.enable_dhcp) checkDhcp(cidr);
  const gateway = 'gateway_ip' in fields ? (fields['gateway_ip'] as string | null) : subnet.gateway_ip;
  if (gateway !== subnet.gateway_ip) {
    if (gateway) checkGateway(version, cidr, gateway);
    await checkGatewayUnused(work, subnet);
  }
  checkLists(version, fields, subnet.id);
  const asked = fields['allocation_pools'] as Pool[] | undefined;
  if (asked) checkPools(cidr, asked);
  if (asked || gateway !== subnet.gateway_ip) checkGatewayOutside(gateway, asked ?? subnet.allocation_pools);
  if (fields['enable_dhcp'] === false && (subnet.ipv6_ra_mode || subnet.ipv6_address_mode)) {
    throw invalidInput('ipv6_ra_mode or ipv6_address_mode cannot be set when enable_dhcp is set to False');
  }
  const next = await change(db, subnetTable, subnet, storedFields(subnetTable, fields), now);
  await touch(db, networkTable, network, now);
  return next;
}

const networkOf = async ({ db }: Work, subnet: Subnet): Promise<Network> => (await find(db, networkTable, subnet.network_id))!;

/** @throws 409 where a router has the gateway's address */
async function checkGatewayUnused({ db }: Work, subnet: Subnet): Promise<void> {
  if (!subnet.gateway_ip) return;
  const ports = await findAll(db, portTable, await portsOnSubnet(db, subnet.id));
  const router = ports.filter((port) => port.device_owner === deviceOwners.routerInterface);
  if (!router.length) return;
  const addresses = await addressesOf(db, router.map((port) => port.id)); // prettier-ignore
  const holder = router.find((port) => addresses.get(port.id)?.some(({ ip_address }) => ip_address === subnet.gateway_ip));
  if (!holder) return;
  throw inConflict(
    'GatewayIpInUse',
    `Current gateway ip ${subnet.gateway_ip} already in use by port ${holder.id}. Unable to update.`,
  );
}

/** Takes a subnet away. @throws 409 where ports have addresses of it that they did not make up themselves */
export async function deleteSubnet(work: Work, subnet: Subnet): Promise<void> {
  const { db, now } = work;
  const network = await networkOf(work, subnet);
  const ports = await findAll(db, portTable, await portsOnSubnet(db, subnet.id));
  const holding = ports.filter(
    ({ device_owner: owner }) => owner === deviceOwners.routerInterface || !(isAutoAddressed(subnet) || isAutoDeleted(owner)),
  );
  if (holding.length) throw subnetInUse(subnet.id);
  await dropAddressesOnSubnet(db, subnet.id);
  await setTags(db, subnet.id, []);
  await erase(db, subnetTable, subnet);
  await touch(db, networkTable, network, now);
}

/** The subnet among several that an address belongs to. */
export const subnetOf = (subnets: readonly Subnet[], text: string): Subnet | undefined => {
  const ip = parseIp(text);
  return ip && subnets.find((subnet) => contains(parseCidr(subnet.cidr)!, ip));
};
