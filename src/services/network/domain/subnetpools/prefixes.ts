// Sets of prefixes: put together, taken from one another, and cut into the fewest prefixes. Upstream: netaddr's IPSet.
import { cidrOf, type Cidr } from '../../ip.ts';

interface Range {
  readonly first: bigint;
  readonly last: bigint;
}

/** Ranges in order, those that touch as one. */
function merged(ranges: readonly Range[]): Range[] {
  const found: Range[] = [];
  for (const range of ranges.toSorted((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0))) {
    const before = found.at(-1);
    if (before && range.first <= before.last + 1n) {
      found[found.length - 1] = { first: before.first, last: range.last > before.last ? range.last : before.last };
    } else found.push({ first: range.first, last: range.last });
  }
  return found;
}

/** The fewest prefixes that make up a range. */
function cut({ first, last }: Range, version: 4 | 6): Cidr[] {
  const found: Cidr[] = [];
  const bits = version === 4 ? 32 : 128;
  for (let at = first; at <= last;) {
    let size = 0;
    while (size < bits && at % (1n << BigInt(size + 1)) === 0n && at + (1n << BigInt(size + 1)) - 1n <= last) size += 1;
    found.push(cidrOf({ version, value: at }, bits - size));
    at += 1n << BigInt(size);
  }
  return found;
}

const versionOf = (cidrs: readonly Cidr[]): 4 | 6 => cidrs[0]?.ip.version ?? 4;

/** The same addresses by the fewest prefixes, in order. */
export const compact = (cidrs: readonly Cidr[]): Cidr[] => merged(cidrs).flatMap((range) => cut(range, versionOf(cidrs)));

/** What is left of prefixes without others, in order. */
export function without(cidrs: readonly Cidr[], taken: readonly Cidr[]): Cidr[] {
  let left = merged(cidrs);
  for (const hole of merged(taken)) {
    left = left.flatMap((range) => {
      if (hole.last < range.first || hole.first > range.last) return [range];
      return [
        ...(hole.first > range.first ? [{ first: range.first, last: hole.first - 1n }] : []),
        ...(hole.last < range.last ? [{ first: hole.last + 1n, last: range.last }] : []),
      ];
    });
  }
  return left.flatMap((range) => cut(range, versionOf(cidrs)));
}
