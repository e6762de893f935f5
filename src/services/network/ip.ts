// Arithmetic on IP addresses, CIDRs and MAC addresses: addresses are numbers with a version, written as netaddr writes them.

/** An address. */
export interface Ip {
  readonly version: 4 | 6;
  readonly value: bigint;
}

/** A prefix, with the address that it was written with. */
export interface Cidr {
  readonly ip: Ip;
  readonly prefix: number;
  readonly first: bigint;
  readonly last: bigint;
}

/** Addresses from `start` to `end`, both included, as they are written. */
export interface Pool {
  readonly start: string;
  readonly end: string;
}

const bitsOf = (version: 4 | 6): number => (version === 4 ? 32 : 128);

/** Reads an address; undefined where it is none. IPv4 wants four numbers without leading zeros. */
export function parseIp(text: unknown): Ip | undefined {
  if (typeof text !== 'string' || text.length > 60) return undefined;
  return text.includes(':') ? parseIp6(text) : parseIp4(text);
}

function parseIp4(text: string): Ip | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (!match) return undefined;
  const parts = match.slice(1).map(Number);
  if (parts.some((part, index) => part > 255 || String(part) !== match[index + 1])) return undefined;
  return { version: 4, value: parts.reduce((sum, part) => sum * 256n + BigInt(part), 0n) };
}

function parseIp6(text: string): Ip | undefined {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  const tail = dotted && parseIp4(dotted[2]!);
  if (dotted && !tail) return undefined;
  const plain = dotted ? `${dotted[1]}${(tail!.value >> 16n).toString(16)}:${(tail!.value & 0xffffn).toString(16)}` : text;
  const halves = plain.split('::');
  if (halves.length > 2) return undefined;
  const [head, rest] = halves.map((half) => (half ? half.split(':') : []));
  const missing = 8 - head!.length - (rest?.length ?? 0);
  if (rest ? missing < 1 : missing !== 0) return undefined;
  const groups = [...head!, ...Array.from({ length: rest ? missing : 0 }, () => '0'), ...(rest ?? [])];
  if (groups.some((group) => !/^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return { version: 6, value: BigInt(`0x${groups.map((group) => group.padStart(4, '0')).join('')}`) };
}

/** An address as text: IPv6 in its shortest form. */
export function formatIp({ version, value }: Ip): string {
  if (version === 4) return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join('.');
  const groups = Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - index * 16)) & 0xffffn).toString(16));
  const runs = [...groups.join(':').matchAll(/(?<![^:])0(?::0)+(?![^:])/g)];
  const longest = runs.toSorted((a, b) => b[0].length - a[0].length)[0];
  if (!longest) return groups.join(':');
  const text = groups.join(':');
  const before = text.slice(0, longest.index).replace(/:$/, '');
  const after = text.slice(longest.index + longest[0].length).replace(/^:/, '');
  return `${before}::${after}`;
}

/** Reads `address/prefix`; undefined where it is none. A missing prefix is the whole address if `bare` allows that. */
export function parseCidr(text: unknown, bare = false): Cidr | undefined {
  if (typeof text !== 'string') return undefined;
  const [, address = '', digits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const ip = parseIp(address);
  if (!ip || (digits === undefined && !bare)) return undefined;
  const bits = bitsOf(ip.version);
  const prefix = digits === undefined ? bits : Number(digits);
  return prefix > bits ? undefined : cidrOf(ip, prefix);
}

/** The prefix of a length around an address. */
export function cidrOf(ip: Ip, prefix: number): Cidr {
  const rest = BigInt(bitsOf(ip.version) - prefix);
  const first = (ip.value >> rest) << rest;
  return { ip, prefix, first, last: first + (1n << rest) - 1n };
}

/** The prefix with its first address, as text. */
export const formatNetwork = ({ ip, prefix, first }: Cidr): string =>
  `${formatIp({ version: ip.version, value: first })}/${prefix}`;

/** The prefix with the address that it was written with. */
export const formatCidr = ({ ip, prefix }: Cidr): string => `${formatIp(ip)}/${prefix}`;

export const contains = (cidr: Cidr, ip: Ip): boolean =>
  cidr.ip.version === ip.version && ip.value >= cidr.first && ip.value <= cidr.last;

export const overlap = (a: Cidr, b: Cidr): boolean => a.ip.version === b.ip.version && a.first <= b.last && b.first <= a.last;

/** A text that sorts as the addresses of one version do. */
export const sortKey = ({ value }: Ip): string => value.toString(16).padStart(32, '0');

/** The address of a sort key. */
export const fromSortKey = (key: string, version: 4 | 6): Ip => ({ version, value: BigInt(`0x${key}`) });

/** The first and last address that hosts may have: in IPv4 neither the network's own nor the broadcast address. */
export function hostRange({ ip, prefix, first, last }: Cidr): readonly [bigint, bigint] {
  if (first === last) return [first, last];
  if (ip.version === 6) return [first + 1n, last];
  return prefix <= 30 ? [first + 1n, last - 1n] : [first, last];
}

/** The pools of a subnet that names none: all hosts but the gateway. Upstream: neutron/ipam/utils.py, generate_pools. */
export function poolsAround(cidr: Cidr, gateway: string | null): Pool[] {
  const [first, last] = hostRange(cidr);
  const hole = parseIp(gateway)?.value;
  const pool = (from: bigint, to: bigint): Pool[] =>
    from > to
      ? []
      : [{ start: formatIp({ version: cidr.ip.version, value: from }), end: formatIp({ version: cidr.ip.version, value: to }) }];
  if (first === last || hole === undefined || hole < first || hole > last) return pool(first, last);
  return [...pool(first, hole - 1n), ...pool(hole + 1n, last)];
}

/** Whether a port may have the address on the subnet. Upstream: neutron/ipam/utils.py, check_subnet_ip. */
export function fitsSubnet(cidr: Cidr, ip: Ip, deviceOwner: string): boolean {
  if (!contains(cidr, ip)) return false;
  if (cidr.ip.version === 4) return ip.value !== cidr.first && (ip.value !== cidr.last || cidr.prefix >= 31);
  return ip.value !== cidr.first || deviceOwner === '' || deviceOwner.startsWith('network:router');
}

/** Whether a gateway is the network's own or its broadcast address. */
export function badGateway(cidr: Cidr, gateway: Ip): boolean {
  return cidr.ip.version === 4 && contains(cidr, gateway) && (gateway.value === cidr.first || gateway.value === cidr.last);
}

/** Whether the text is a MAC address in one of the usual ways of writing it. */
export function isMac(text: unknown): boolean {
  if (typeof text !== 'string' || /\s/.test(text)) return false;
  if (!/^([0-9a-f]{1,2}([:-])){5}[0-9a-f]{1,2}$|^([0-9a-f]{4}\.){2}[0-9a-f]{4}$|^[0-9a-f]{12}$/i.test(text)) return false;
  const mac = normalMac(text);
  return mac !== '00:00:00:00:00:00';
}

/** A MAC address as it is kept: six pairs of small digits with colons. */
export function normalMac(text: string): string {
  const parts = /[:-]/.test(text) ? text.split(/[:-]/).map((part) => part.padStart(2, '0')) : [text.replaceAll('.', '')];
  return parts
    .join('')
    .toLowerCase()
    .replace(/..(?!$)/g, '$&:');
}

/** The address that a host makes itself of its MAC address in a /64 prefix. */
export function eui64(cidr: Cidr, mac: string): Ip {
  const bytes = normalMac(mac)
    .split(':')
    .map((part) => Number.parseInt(part, 16));
  const eight = [bytes[0]! ^ 2, bytes[1]!, bytes[2]!, 0xff, 0xfe, bytes[3]!, bytes[4]!, bytes[5]!];
  return { version: 6, value: cidr.first + eight.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n) };
}
