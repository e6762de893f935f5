// Merges and subtracts sets of prefixes. Upstream: netaddr's IPSet.
import { excludeCidr, mergeCidr } from 'cidr-tools';
import { formatNetwork, parseCidr, type Cidr } from '../../ip.ts';

const read = (prefixes: readonly string[]): Cidr[] => prefixes.map((prefix) => parseCidr(prefix)!);

/** Returns the same addresses as the fewest possible prefixes, sorted. */
export const compact = (cidrs: readonly Cidr[]): Cidr[] =>
  read(mergeCidr(cidrs.map(formatNetwork)));

/** Returns the addresses of `cidrs` without `taken`, as the fewest possible prefixes, sorted. */
export const without = (cidrs: readonly Cidr[], used: readonly Cidr[]): Cidr[] =>
  read(excludeCidr(cidrs.map(formatNetwork), used.map(formatNetwork)));
