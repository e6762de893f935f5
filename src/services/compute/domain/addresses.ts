// Converts IP addresses to the form in which servers store them. Upstream: objects/fields.py
// IPAddress, which uses netaddr.
import { isIP, SocketAddress } from 'node:net';

/** The canonical form of an address. */
export function canonicalIp(text: string): string {
  const kind = isIP(text);
  return kind
    ? new SocketAddress({ address: text, family: kind === 6 ? 'ipv6' : 'ipv4' }).address
    : text;
}
