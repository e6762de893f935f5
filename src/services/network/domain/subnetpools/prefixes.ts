// Merges and subtracts sets of prefixes. Upstream: netaddr's IPSet.
import { excludeCidr, mergeCidr } from 'cidr-tools';
import { formatNetwork, parseCidr, type Cidr } from '../../ip.ts';
import { finderOf, type Range } from '../../ranges.ts';

/** Parses prefixes that have been checked. */
export const cidrsOf = (prefixes: readonly string[]): Cidr[] =>
  prefixes.map((prefix) => parseCidr(prefix)!);

const rangeOf = ({ ip, first, last }: Cidr): Range => ({ version: ip.version, first, last });

/** Whether two sets of prefixes have an address in common: one of two contains the other. */
export function sharesAddresses(some: readonly Cidr[], others: readonly Cidr[]): boolean {
  const [inSome, inOthers] = [finderOf(some, rangeOf), finderOf(others, rangeOf)];
  return some.some(({ ip }) => inOthers(ip)) || others.some(({ ip }) => inSome(ip));
}

/** Returns the same addresses as the fewest possible prefixes, sorted. */
export const compact = (cidrs: readonly Cidr[]): Cidr[] =>
  cidrsOf(mergeCidr(cidrs.map(formatNetwork)));

/** Returns the addresses of `cidrs` without `used`, as the fewest possible prefixes, sorted. */
export const without = (cidrs: readonly Cidr[], used: readonly Cidr[]): Cidr[] =>
  cidrsOf(excludeCidr(cidrs.map(formatNetwork), used.map(formatNetwork)));
