// Merges and subtracts sets of prefixes. Upstream: netaddr's IPSet.
import { excludeCidr, mergeCidr } from 'cidr-tools';
import { formatNetwork, parseCidr, type Cidr } from '../../ip.ts';
import { finderOf, type Range } from '../../ranges.ts';

/** Parses prefixes that have been checked. */
export const cidrsOf = (prefixes: readonly string[]): Cidr[] =>
  prefixes.map((prefix) => parseCidr(prefix)!);

const rangeOf = ({ ip, first, last }: Cidr): Range => ({ version: ip.version, first, last });

/** Whether two sets of prefixes have an address in common. */
export const sharesAddresses = (some: readonly Cidr[], others: readonly Cidr[]): boolean =>
  findSharing(some, others) !== undefined;

/**
 * Finds the first of some prefixes, which must not overlap, that has an address in common with
 * others: one of the two prefixes contains the other.
 */
export function findSharing(some: readonly Cidr[], others: readonly Cidr[]): Cidr | undefined {
  const [inSome, inOthers] = [finderOf(some, rangeOf), finderOf(others, rangeOf)];
  const containing = new Set(others.map(({ ip }) => inSome(ip)));
  return some.find((one) => inOthers(one.ip) || containing.has(one));
}

/** Returns the same addresses as the fewest possible prefixes, sorted. */
export const compact = (cidrs: readonly Cidr[]): Cidr[] =>
  cidrsOf(mergeCidr(cidrs.map(formatNetwork)));

/** Returns the addresses of `cidrs` without `used`, as the fewest possible prefixes, sorted. */
export const without = (cidrs: readonly Cidr[], used: readonly Cidr[]): Cidr[] =>
  cidrsOf(excludeCidr(cidrs.map(formatNetwork), used.map(formatNetwork)));
