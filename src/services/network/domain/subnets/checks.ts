// Validates subnets: CIDR, gateway, IPv6 modes, lists and allocation pools. Upstream:
// neutron/db/db_base_plugin_v2.py, _validate_subnet.
import {
  badGateway,
  formatNetwork,
  hostRange,
  inPool,
  overlap,
  parseCidr,
  parseIp,
  poolsAround,
  type Cidr,
  type Pool,
} from '../../ip.ts';
import type { Fields } from '../attributes/definitions.ts';
import type { HostRoute, Network, Subnet } from '../../model.ts';
import { firstOverlap } from '../../ranges.ts';
import { bad, inConflict, invalidInput } from '../refusals.ts';
import type { NetworkSettings } from '../settings.ts';

/** The fields of a body that define a new subnet. */
export interface Spec {
  readonly version: 4 | 6;
  readonly cidr: Cidr;
  /** Null for no gateway; undefined if the body does not have it. */
  readonly gateway: string | null | undefined;
  readonly dhcp: boolean;
  readonly raMode: string | null;
  readonly addressMode: string | null;
}

export const specOf = (fields: Fields, cidr: Cidr): Spec => ({
  version: fields['ip_version'] as 4 | 6,
  cidr,
  gateway: fields['gateway_ip'] as string | null | undefined,
  dhcp: fields['enable_dhcp'] as boolean,
  raMode: (fields['ipv6_ra_mode'] ?? null) as string | null,
  addressMode: (fields['ipv6_address_mode'] ?? null) as string | null,
});

/** @throws 400 */
export function checkSpec(
  spec: Spec,
  fields: Fields,
  subject: string,
  settings: NetworkSettings,
): void {
  checkVersion(spec.version, spec.cidr.ip.version, 'cidr', formatNetwork(spec.cidr));
  if (spec.version === 6 && spec.cidr.first === 0n)
    throw invalidInput("IPv6 subnet '::' is not supported");
  if (spec.cidr.prefix === 0) throw invalidInput('0 is not allowed as CIDR prefix length');
  if (spec.dhcp) checkDhcp(spec.cidr);
  if (spec.gateway) checkGateway(spec.version, spec.cidr, spec.gateway);
  checkLists(spec.version, fields, subject, settings);
  if (spec.version === 4) {
    for (const mode of ['ipv6_ra_mode', 'ipv6_address_mode']) {
      if (fields[mode] !== undefined)
        throw invalidInput(`${mode} is not valid when ip_version is 4`);
    }
  } else checkIpv6Modes(spec);
}

function checkVersion(version: number, given: number, name: string, value: string): void {
  if (version !== given)
    throw invalidInput(`${name} '${value}' does not match the ip_version '${version}'`);
}

export function checkDhcp(cidr: Cidr): void {
  const { version } = cidr.ip;
  if (cidr.prefix > (version === 4 ? 30 : 126)) {
    throw invalidInput('Subnet has a prefix length that is incompatible with DHCP service enabled');
  }
  const top = Number(version === 4 ? cidr.first >> 24n : cidr.first >> 120n);
  if (version === 4 ? top >= 224 && top <= 239 : top === 0xff)
    throw invalidInput('Multicast IP subnet is not supported if enable_dhcp is True');
  if (version === 4 && top === 127)
    throw invalidInput('Loopback IP subnet is not supported if enable_dhcp is True');
  if (version === 4 && cidr.first === 0n)
    throw invalidInput("First IP '0.0.0.0' of network is not supported if enable_dhcp is True.");
}

export function checkGateway(version: 4 | 6, cidr: Cidr, text: string): void {
  const ip = parseIp(text)!;
  checkVersion(version, ip.version, 'gateway_ip', text);
  if (badGateway(cidr, ip)) throw invalidInput('Gateway is not valid on subnet');
}

export function checkLists(
  version: number,
  fields: Fields,
  subject: string,
  { maxDnsNameservers, maxSubnetHostRoutes }: NetworkSettings,
): void {
  const servers = (fields['dns_nameservers'] ?? []) as string[];
  if (servers.length > maxDnsNameservers) {
    throw bad(
      'DNSNameServersExhausted',
      `Unable to complete operation for ${subject}. The number of DNS nameservers exceeds the ` +
        `limit ${maxDnsNameservers}.`,
    );
  }
  for (const server of servers)
    checkVersion(version, parseIp(server)!.version, 'dns_nameserver', server);
  const routes = (fields['host_routes'] ?? []) as HostRoute[];
  if (routes.length > maxSubnetHostRoutes) {
    throw bad(
      'HostRoutesExhausted',
      `Unable to complete operation for ${subject}. The number of host routes exceeds the ` +
        `limit ${maxSubnetHostRoutes}.`,
    );
  }
  for (const { destination, nexthop } of routes) {
    checkVersion(version, parseIp(nexthop)!.version, 'nexthop', nexthop);
    checkVersion(version, parseCidr(destination)!.ip.version, 'destination', destination);
  }
}

function checkIpv6Modes({ raMode, addressMode, dhcp, cidr }: Spec): void {
  if (!dhcp && (raMode !== null || addressMode !== null)) {
    throw invalidInput(
      'ipv6_ra_mode or ipv6_address_mode cannot be set when enable_dhcp is set to False',
    );
  }
  if (raMode !== null && addressMode !== null && raMode !== addressMode) {
    throw invalidInput(
      `ipv6_ra_mode set to '${raMode}' with ipv6_address_mode set to '${addressMode}' is not ` +
        'valid. If both attributes are set, they must be the same value',
    );
  }
  const auto = [raMode, addressMode].some(
    (mode) => mode === 'slaac' || mode === 'dhcpv6-stateless',
  );
  if (auto && cidr.prefix !== 64) {
    throw invalidInput(
      `Invalid CIDR ${formatNetwork(cidr)} for IPv6 address mode. OpenStack uses the EUI-64 ` +
        'address format, which requires the prefix to be /64',
    );
  }
}

export function checkOverlap(network: Network, cidr: Cidr, others: readonly Subnet[]): void {
  if (!others.some((other) => overlap(cidr, parseCidr(other.cidr)!))) return;
  throw invalidInput(
    `Requested subnet with cidr: ${formatNetwork(cidr)} for network: ${network.id} overlaps ` +
      'with another subnet',
  );
}

/**
 * Returns the allocation pools of a new subnet: the requested ones, or all host addresses.
 * @throws 400, 409
 */
export function poolsFor(
  cidr: Cidr,
  gateway: string | null,
  requested: readonly Pool[] | undefined,
): readonly Pool[] {
  if (requested === undefined) return poolsAround(cidr, gateway);
  checkPools(cidr, requested);
  checkGatewayOutside(gateway, requested);
  return requested;
}

const poolText = ({ start, end }: Pool): string => `${start}-${end}`;

export function checkPools(cidr: Cidr, pools: readonly Pool[]): void {
  const [first, last] = hostRange(cidr);
  const ranges = pools.map((pool) => {
    const [start, end] = [parseIp(pool.start)!, parseIp(pool.end)!];
    if (
      start.version !== cidr.ip.version ||
      end.version !== start.version ||
      start.value > end.value
    ) {
      throw bad('InvalidAllocationPool', `The allocation pool ${poolText(pool)} is not valid.`);
    }
    if (start.value < first || end.value > last) {
      throw bad(
        'OutOfBoundsAllocationPool',
        `The allocation pool ${poolText(pool)} spans beyond the subnet cidr ` +
          `${formatNetwork(cidr)}.`,
      );
    }
    return { pool, version: start.version, first: start.value, last: end.value };
  });
  const overlapping = firstOverlap(ranges, (range) => range);
  if (!overlapping) return;
  const texts = overlapping.map(({ pool }) => poolText(pool)).join(' ');
  throw inConflict(
    'OverlappingAllocationPools',
    `Found overlapping allocation pools: ${texts} for subnet ${formatNetwork(cidr)}.`,
  );
}

export function checkGatewayOutside(gateway: string | null, pools: readonly Pool[]): void {
  const value = parseIp(gateway)?.value;
  const pool = value === undefined ? undefined : pools.find((one) => inPool(value, one));
  if (!pool) return;
  throw inConflict(
    'GatewayConflictWithAllocationPools',
    `Gateway ip ${gateway} conflicts with allocation pool ${poolText(pool)}.`,
  );
}
