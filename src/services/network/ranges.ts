// Finds the ranges of addresses that contain an address, in logarithmic time: requests and networks
// may have thousands of them.
import type { Ip } from './ip.ts';

/** The addresses from `first` to `last`, both included. */
export interface Range {
  readonly version: number;
  readonly first: bigint;
  readonly last: bigint;
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Returns a function that finds an item whose range contains an address. If the ranges of several
 * items do, it finds one of them.
 */
export function finderOf<T>(
  items: readonly T[],
  rangeOf: (item: T) => Range,
): (ip: Ip) => T | undefined {
  const sorted = items
    .map((item) => ({ item, ...rangeOf(item) }))
    .sort((a, b) => a.version - b.version || compare(a.first, b.first));
  // Of the ranges that begin at or before each one, the one that ends last.
  const furthest: (typeof sorted)[number][] = [];
  for (const range of sorted) {
    const before = furthest.at(-1);
    furthest.push(
      before && before.version === range.version && before.last > range.last ? before : range,
    );
  }
  return ({ version, value }) => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const { version: other, first } = sorted[middle]!;
      if (other < version || (other === version && first <= value)) low = middle + 1;
      else high = middle;
    }
    const found = furthest[low - 1];
    return found?.version === version && found.last >= value ? found.item : undefined;
  };
}

/**
 * Returns the first item that overlaps with another one, and the next item that it overlaps with.
 */
export function firstOverlap<T>(
  items: readonly T[],
  rangeOf: (item: T) => Range,
): readonly [T, T] | undefined {
  const ranges = items.map((item, index) => ({ item, index, ...rangeOf(item) }));
  const sorted = [...ranges].sort((a, b) => a.version - b.version || compare(a.first, b.first));
  let first: (typeof ranges)[number] | undefined;
  let furthest: (typeof ranges)[number] | undefined;
  for (const range of sorted) {
    if (furthest && overlap(furthest, range))
      for (const one of [furthest, range]) if (!first || one.index < first.index) first = one;
    if (!furthest || furthest.version !== range.version || range.last > furthest.last)
      furthest = range;
  }
  if (!first) return undefined;
  const earliest = first;
  const other = ranges.find((range) => range.index > earliest.index && overlap(earliest, range));
  return [earliest.item, other!.item];
}

/** Whether two ranges have an address in common. */
const overlap = (a: Range, b: Range): boolean =>
  a.version === b.version && a.first <= b.last && b.first <= a.last;
