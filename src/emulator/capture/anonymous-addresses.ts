// Replaces addresses of networks. An IP address stays in its subnet, and its order there, because
// only the block that it is in is replaced: the first 16 bits of IPv4, and the first 48 of IPv6.
import { isIP } from 'node:net';
import { parseIp, stringifyIp } from 'ip-bigint';

/** The bits of an address, those of its block, and the block that replaces the first one. */
const families = {
  4: { bits: 32, block: 16, first: 0x0a_00n }, // 10.0.0.0/16
  6: { bits: 128, block: 48, first: 0xfd00_0000_0000n }, // fd00::/48
} as const;

/** Replaces IP addresses, CIDRs and MAC addresses, each by the same one everywhere. */
export class AnonymousAddresses {
  private readonly blocks = { 4: new Map<bigint, bigint>(), 6: new Map<bigint, bigint>() };
  private readonly macs = new Map<string, string>();

  /** The replacement of an address or a CIDR; undefined if the text is neither. */
  replacementOf(text: string): string | undefined {
    const mac = /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/i.test(text);
    if (mac) return this.macOf(text.toLowerCase());
    const [address = '', digits, ...rest] = text.split('/');
    const version = isIP(address);
    if ((version !== 4 && version !== 6) || rest.length) return undefined;
    const prefix = digits === undefined ? undefined : Number(digits);
    if (prefix === 0) return text;
    const { bits, block, first } = families[version];
    const { number } = parseIp(address);
    const low = BigInt(bits - block);
    const own = number >> low;
    const blocks = this.blocks[version];
    if (!blocks.has(own)) blocks.set(own, first + BigInt(blocks.size));
    // A network that is larger than a block begins with zeros after its prefix.
    const spare = BigInt(Math.max(0, block - (prefix ?? bits)));
    const replaced = (blocks.get(own)! >> spare) << spare;
    const ip = stringifyIp({
      version,
      number: (replaced << low) | (number & ((1n << low) - 1n)),
    });
    return prefix === undefined ? ip : `${ip}/${prefix}`;
  }

  /** A MAC address as Neutron makes them. */
  private macOf(mac: string): string {
    const known = this.macs.get(mac);
    if (known !== undefined) return known;
    const digits = this.macs.size.toString(16).padStart(6, '0');
    const made = `fa:16:3e:${digits.match(/../g)!.join(':')}`;
    this.macs.set(mac, made);
    return made;
  }
}
