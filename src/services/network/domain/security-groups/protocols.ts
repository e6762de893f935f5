// IP protocols by name, for security group rules. Upstream: neutron_lib/constants.py,
// IP_PROTOCOL_MAP.

export const protocolNames: ReadonlyMap<string, number> = new Map([
  ['ah', 51],
  ['dccp', 33],
  ['egp', 8],
  ['esp', 50],
  ['gre', 47],
  ['icmp', 1],
  ['icmpv6', 58],
  ['igmp', 2],
  ['ipip', 4],
  ['ipv6-encap', 41],
  ['ipv6-frag', 44],
  ['ipv6-icmp', 58],
  ['ipv6-nonxt', 59],
  ['ipv6-opts', 60],
  ['ipv6-route', 43],
  ['ospf', 89],
  ['pgm', 113],
  ['rsvp', 46],
  ['sctp', 132],
  ['tcp', 6],
  ['udp', 17],
  ['udplite', 136],
  ['vrrp', 112],
]);

/** Protocols that have ports. */
export const withPorts: ReadonlyMap<number, string> = new Map([
  [33, 'DCCP'],
  [132, 'SCTP'],
  [6, 'TCP'],
  [17, 'UDP'],
  [136, 'UDPLITE'],
]);

export const icmpNumbers: readonly number[] = [1, 58];

/** Protocols that exist only in IPv6. */
export const onlyIpv6: readonly string[] = [
  'ipv6-encap',
  'ipv6-frag',
  'ipv6-icmp',
  'icmpv6',
  'ipv6-nonxt',
  'ipv6-opts',
  'ipv6-route',
  '41',
  '44',
  '58',
  '59',
  '60',
  '43',
];

/** Returns the number of a protocol, or null for any protocol. */
export const protocolNumber = (protocol: string | null): number | null =>
  protocol === null ? null : (protocolNames.get(protocol) ?? Number(protocol));
