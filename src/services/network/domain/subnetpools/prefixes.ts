// Sets of prefixes: merged, and subtracted from each other. Upstream: netaddr's IPSet.
import { excludeCidr, mergeCidr } from 'cidr-tools';
import { formatNetwork, parseCidr, type Cidr } from '../../ip.ts';

const read = (prefixes: readonly string[]): Cidr[] => prefixes.map((prefix) => parseCidr(prefix)!);

/** The same addresses in the fewest prefixes, in order. */
export const compact = (cidrs: readonly Cidr[]): Cidr[] =>
  read(mergeCidr(cidrs.map(formatNetwork)));

/** The addresses of `cidrs` that are not in `taken`, in the fewest prefixes, in order. */
export const without = (cidrs: readonly Cidr[], taken: readonly Cidr[]): Cidr[] =>
  read(excludeCidr(cidrs.map(formatNetwork), taken.map(formatNetwork)));
