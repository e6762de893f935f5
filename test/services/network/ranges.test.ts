// The search for ranges of addresses, compared with a search through all of them.
import { expect } from 'chai';
import { finderOf, firstOverlap, type Range } from '../../../src/services/network/ranges.ts';
import { SeededRandom } from '../../support/seeded-random.ts';

describe('network: ranges of addresses', () => {
  const random = new SeededRandom(42);
  const ranges = (max: number): Range[] =>
    Array.from({ length: random.between(0, max) }, () => {
      const first = BigInt(random.between(0, 60));
      const last = first + BigInt(random.between(0, 12));
      return { version: random.pick([4, 6]), first, last };
    });
  const identity = (range: Range): Range => range;
  const contains = (range: Range, version: number, value: bigint): boolean =>
    range.version === version && range.first <= value && value <= range.last;
  const overlap = (a: Range, b: Range): boolean =>
    a.version === b.version && a.first <= b.last && b.first <= a.last;

  it('finds a range that contains an address, if there is one', () => {
    for (let round = 0; round < 200; round++) {
      const items = ranges(12);
      const find = finderOf(items, identity);
      for (const version of [4, 6] as const)
        for (let value = 0n; value < 80n; value++) {
          const found = find({ version, value });
          if (found) expect(contains(found, version, value)).to.equal(true);
          else expect(items.some((one) => contains(one, version, value))).to.equal(false);
        }
    }
  });

  it('finds the first range that overlaps with another, and the next one', () => {
    for (let round = 0; round < 500; round++) {
      const items = ranges(10);
      const pairs = items.flatMap((one, index) =>
        items.slice(index + 1).flatMap((other) => (overlap(one, other) ? [[one, other]] : [])),
      );
      expect(firstOverlap(items, identity)).to.deep.equal(pairs[0]);
    }
  });
});
