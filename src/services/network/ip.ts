// IP addresses, CIDRs and MAC addresses. An IP address is a number with a version, formatted as
// netaddr does.
import { isIP } from 'node:net';
import { parseIp as readIp, stringifyIp } from 'ip-bigint';

/** An IP address. */
export interface Ip {
  readonly version: 4 | 6;
  readonly value: bigint;
}

/**
 * A CIDR, with the address that it was written with. `first` and `last` are the bounds of the
 * network.
 */
export interface Cidr {
  readonly ip: Ip;
  readonly prefix: number;
  readonly first: bigint;
  readonly last: bigint;
}

/** The addresses from `start` to `end`, both included, as text. */
export interface Pool {
  readonly start: string;
  readonly end: string;
}

/** The number of bits of an address, by version. */
export const bitsOf = { 4: 32, 6: 128 } as const;

/**
 * Parses an address; undefined if it is invalid. As in netaddr, IPv4 needs four numbers without
 * leading zeros, and IPv6 must not have a zone (`%eth0`).
 */
export function parseIp(text: unknown): Ip | undefined {
  if (typeof text !== 'string' || text.length > 60 || text.includes('%')) return undefined;
  // ip-bigint parses valid addresses, and does not reject invalid ones.
  const version = isIP(text);
  return version === 4 || version === 6 ? { version, value: readIp(text).number } : undefined;
}

/** Formats an address; IPv6 in its shortest form. */
export const formatIp = ({ version, value }: Ip): string => stringifyIp({ version, number: value });

/**
 * Parses `address/prefix`; undefined if it is invalid. With `bare`, an address without a prefix is
 * a network of that address alone.
 */
export function parseCidr(text: unknown, bare = false): Cidr | undefined {
  if (typeof text !== 'string') return undefined;
  const [, address = '', digits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const ip = parseIp(address);
  if (!ip || (digits === undefined && !bare)) return undefined;
  const bits = bitsOf[ip.version];
  const prefix = digits === undefined ? bits : Number(digits);
  return prefix > bits ? undefined : cidrOf(ip, prefix);
}

/** Returns the network of that prefix length which contains an address. */
export function cidrOf(ip: Ip, prefix: number): Cidr {
  const rest = BigInt(bitsOf[ip.version] - prefix);
  const first = (ip.value >> rest) << rest;
  return { ip, prefix, first, last: first + (1n << rest) - 1n };
}

/** Formats the CIDR with the network's first address. */
export const formatNetwork = ({ ip, prefix, first }: Cidr): string =>
  `${formatIp({ version: ip.version, value: first })}/${prefix}`;

/** Formats the CIDR with the address that it was written with. */
export const formatCidr = ({ ip, prefix }: Cidr): string => `${formatIp(ip)}/${prefix}`;

export const contains = (cidr: Cidr, ip: Ip): boolean =>
  cidr.ip.version === ip.version && ip.value >= cidr.first && ip.value <= cidr.last;

export const overlap = (a: Cidr, b: Cidr): boolean =>
  a.ip.version === b.ip.version && a.first <= b.last && b.first <= a.last;

/** Returns a text by which addresses of one version sort. */
export const sortKey = ({ value }: Ip): string => value.toString(16).padStart(32, '0');

/** Returns the address of a sort key. */
export const fromSortKey = (key: string, version: 4 | 6): Ip => ({
  version,
  value: BigInt(`0x${key}`),
});

/**
 * Returns the first and the last host address. In IPv4 they exclude the network and the broadcast
 * address.
 */
export function hostRange({ ip, prefix, first, last }: Cidr): readonly [bigint, bigint] {
  if (first === last) return [first, last];
  if (ip.version === 6) return [first + 1n, last];
  return prefix <= 30 ? [first + 1n, last - 1n] : [first, last];
}

/**
 * Returns the default allocation pools of a subnet: all host addresses except the gateway.
 * Upstream: neutron/ipam/utils.py, generate_pools.
 */
export function poolsAround(cidr: Cidr, gateway: string | null): Pool[] {
  const [first, last] = hostRange(cidr);
  const hole = parseIp(gateway)?.value;
  const pool = (from: bigint, to: bigint): Pool[] =>
    from > to
      ? []
      : [
          {
            start: formatIp({ version: cidr.ip.version, value: from }),
            end: formatIp({ version: cidr.ip.version, value: to }),
          },
        ];
  if (first === last || hole === undefined || hole < first || hole > last) return pool(first, last);
  return [...pool(first, hole - 1n), ...pool(hole + 1n, last)];
}

/** Whether an allocation pool of the same version contains the address. */
export const inPool = (value: bigint, { start, end }: Pool): boolean =>
  value >= parseIp(start)!.value && value <= parseIp(end)!.value;

/**
 * Whether a port may have the address on the subnet. Upstream: neutron/ipam/utils.py,
 * check_subnet_ip.
 */
export function fitsSubnet(cidr: Cidr, ip: Ip, deviceOwner: string): boolean {
  if (!contains(cidr, ip)) return false;
  if (cidr.ip.version === 4)
    return ip.value !== cidr.first && (ip.value !== cidr.last || cidr.prefix >= 31);
  return ip.value !== cidr.first || deviceOwner === '' || deviceOwner.startsWith('network:router');
}

/** Whether a gateway is the network or the broadcast address. */
export function badGateway(cidr: Cidr, gateway: Ip): boolean {
  return (
    cidr.ip.version === 4 &&
    contains(cidr, gateway) &&
    (gateway.value === cidr.first || gateway.value === cidr.last)
  );
}

/**
 * Whether the text is a MAC address: with colons, with dashes, in three groups (Cisco), or without
 * separators.
 */
export function isMac(text: unknown): boolean {
  if (typeof text !== 'string' || /\s/.test(text)) return false;
  if (
    !/^([0-9a-f]{1,2}([:-])){5}[0-9a-f]{1,2}$|^([0-9a-f]{4}\.){2}[0-9a-f]{4}$|^[0-9a-f]{12}$/i.test(
      text,
    )
  )
    return false;
  const mac = normalMac(text);
  return mac !== '00:00:00:00:00:00';
}

/** Converts a MAC address to its stored form: six pairs of lower-case digits with colons. */
export function normalMac(text: string): string {
  const parts = /[:-]/.test(text)
    ? text.split(/[:-]/).map((part) => part.padStart(2, '0'))
    : [text.replaceAll('.', '')];
  return parts
    .join('')
    .toLowerCase()
    .replace(/..(?!$)/g, '$&:');
}

/** Returns the EUI-64 address that a host with that MAC address configures in a /64 network. */
export function eui64(cidr: Cidr, mac: string): Ip {
  const bytes = normalMac(mac)
    .split(':')
    .map((part) => Number.parseInt(part, 16));
  const eight = [bytes[0]! ^ 2, bytes[1]!, bytes[2]!, 0xff, 0xfe, bytes[3]!, bytes[4]!, bytes[5]!];
  return {
    version: 6,
    value: cidr.first + eight.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n),
  };
}
