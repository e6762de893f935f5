// IP addresses as servers keep them. Upstream: objects/fields.py IPAddress, by way of netaddr.
import { isIP, SocketAddress } from 'node:net';

/** An address in its canonical form. */
export function canonicalIp(text: string): string {
  const kind = isIP(text);
  return kind
    ? new SocketAddress({ address: text, family: kind === 6 ? 'ipv6' : 'ipv4' }).address
    : text;
}
