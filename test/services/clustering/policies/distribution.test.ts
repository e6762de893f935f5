// Tests of the distribution of nodes over zones and regions by weight.
import { expect } from 'chai';
import fc from 'fast-check';
import { distribute } from '../../../../src/services/clustering/domain/policies/distribution.ts';
import { onClustering } from '../support.ts';

const places = (...weights: readonly number[]) =>
  weights.map((weight, index) => ({ name: `AZ${index + 1}`, weight }));
const counts = (...numbers: readonly number[]) =>
  Object.fromEntries(numbers.map((count, index) => [`AZ${index + 1}`, count]));

describe('the distribution of known changes', () => {
  const four = places(100, 80, 60, 40);
  const equal = places(100, 100, 100, 100);
  const two = places(50, 50);
  const examples = [
    [four, [2, 2, 2, 1], 7, { AZ1: 3, AZ2: 2, AZ3: 1, AZ4: 1 }],
    [four, [2, 3, 2, 1], 7, { AZ1: 4, AZ2: 2, AZ3: 1 }],
    [four, [2, 4, 2, 2], 6, { AZ1: 4, AZ2: 1, AZ3: 1 }],
    [four, [4, 5, 1, 1], -3, { AZ2: 3 }],
    [four, [6, 2, 4, 6], -4, { AZ4: 4 }],
    [four, [2, 2, 2, 1], -2, { AZ3: 1, AZ4: 1 }],
    [equal, [2, 2, 2, 1], 5, { AZ1: 1, AZ2: 1, AZ3: 1, AZ4: 2 }],
    [two, [0, 0], 1, { AZ1: 1 }],
    [two, [0, 0], 2, { AZ1: 1, AZ2: 1 }],
    [two, [0, 0], 3, { AZ1: 2, AZ2: 1 }],
    [two, [1, 0], 1, { AZ2: 1 }],
    [two, [2, 2], -1, { AZ1: 1 }],
    [two, [2, 2], -3, { AZ1: 2, AZ2: 1 }],
    [two, [1, 1], -2, { AZ1: 1, AZ2: 1 }],
    [two, [0, 3], -3, { AZ2: 3 }],
    [places(0, 0), [1, 2], -2, { AZ1: 1, AZ2: 1 }],
    [places(-50, 100), [3, 1], -3, { AZ1: 3 }],
  ] as const;
  for (const [zones, current, count, plan] of examples)
    it(`of ${count} nodes over zones with ${current.join(', ')} is ${JSON.stringify(plan)}`, () => {
      expect(distribute(zones, counts(...current), count)).to.deep.equal(plan);
    });

  it('has no plan for new nodes if all weights are 0', () => {
    expect(distribute(places(0, 0), counts(0, 0), 1)).to.equal(undefined);
  });

  it('has no plan for more removals than the zones have nodes', () => {
    expect(distribute(two, counts(1, 0), -2)).to.equal(undefined);
    expect(distribute(two, counts(0, 0), -1)).to.equal(undefined);
    expect(distribute(equal, counts(2, 1, 0, 0), -5)).to.equal(undefined);
  });

  it('has no plan beyond the caps of regions', () => {
    const capped = [
      { name: 'R1', weight: 100, cap: 1 },
      { name: 'R2', weight: 100, cap: 2 },
    ];
    expect(distribute(capped, {}, 3)).to.deep.equal({ R1: 1, R2: 2 });
    expect(distribute(capped, {}, 4)).to.equal(undefined);
  });
});

describe('the distribution of random changes', () => {
  it('removes as many nodes as requested, but from no zone more than it has', () => {
    const zones = fc.array(
      fc.record({
        weight: fc.integer({ min: -10, max: 300 }),
        count: fc.integer({ min: 0, max: 20 }),
      }),
      { minLength: 1, maxLength: 6 },
    );
    fc.assert(
      fc.property(zones, fc.integer({ min: 1, max: 130 }), (all, removals) => {
        const zonesOfSpec = all.map(({ weight }, at) => ({ name: `z${at}`, weight }));
        const current = Object.fromEntries(all.map(({ count }, at) => [`z${at}`, count]));
        const total = all.reduce((sum, { count }) => sum + count, 0);
        const plan = distribute(zonesOfSpec, current, -removals);
        if (removals > total) return void expect(plan).to.equal(undefined);
        expect(Object.values(plan!).reduce((sum, many) => sum + many, 0)).to.equal(removals);
        for (const [zone, many] of Object.entries(plan!))
          expect(many).to.be.within(1, current[zone]!);
      }),
      { numRuns: 10_000 },
    );
  });

  it('gives no zone more than its share, rounded up, when a cluster grows repeatedly #senlin-9', () => {
    const weights = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 6 });
    const steps = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(weights, steps, (allWeights, growth) => {
        const places = allWeights.map((weight, index) => ({ name: `z${index}`, weight }));
        const sum = allWeights.reduce((a, b) => a + b, 0);
        const current: Record<string, number> = {};
        let total = 0;
        for (const count of growth) {
          const plan = distribute(places, current, count)!;
          expect(Object.values(plan).reduce((a, b) => a + b, 0)).to.equal(count);
          for (const [name, many] of Object.entries(plan))
            current[name] = (current[name] ?? 0) + many;
          total += count;
          for (const { name, weight } of places)
            expect(current[name] ?? 0).to.be.at.most(Math.ceil((total * weight) / sum));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('leaves each zone its share, rounded down, when a cluster shrinks #senlin-9', () => {
    const zones = fc.array(
      fc.record({
        weight: fc.integer({ min: 1, max: 300 }),
        count: fc.integer({ min: 0, max: 20 }),
      }),
      {
        minLength: 1,
        maxLength: 6,
      },
    );
    fc.assert(
      fc.property(zones, fc.double({ min: 0, max: 1, noNaN: true }), (all, share) => {
        const places = all.map(({ weight }, at) => ({ name: `z${at}`, weight }));
        const current = Object.fromEntries(all.map(({ count }, at) => [`z${at}`, count]));
        const total = all.reduce((sum, { count }) => sum + count, 0);
        const count = Math.round(total * share);
        if (!count) return;
        const sum = places.reduce((a, { weight }) => a + weight, 0);
        const plan = distribute(places, current, -count)!;
        expect(Object.values(plan).reduce((a, b) => a + b, 0)).to.equal(count);
        for (const { name, weight } of places) {
          const left = current[name]! - (plan[name] ?? 0);
          expect(left).to.be.at.least(
            Math.min(current[name]!, Math.floor(((total - count) * weight) / sum)),
          );
        }
      }),
      { numRuns: 500 },
    );
  });
});

onClustering('the distribution of servers', { az1: 1, az2: 1, az3: 1 }, (clustering) => {
  it('follows the weights after a sequence of scaling and resizing #senlin-1 #senlin-9', async () => {
    const zones = [
      { name: 'az1', weight: 100 },
      { name: 'az2', weight: 100 },
      { name: 'az3', weight: 50 },
    ];
    const id = await clustering.createCluster(0);
    await clustering.attachPolicy(id, await clustering.createPolicy('zone_placement', { zones }));
    for (const body of [
      { scale_out: { count: 5 } },
      { scale_in: { count: 2 } },
      { resize: { adjustment_type: 'EXACT_CAPACITY', number: 8 } },
      { scale_in: {} },
      { resize: { adjustment_type: 'CHANGE_IN_PERCENTAGE', number: -50 } },
      { scale_out: { count: 6 } },
    ]) {
      await clustering.runAction(id, body);
      const found = await clustering.zonesOf(id);
      const total = Object.values(found).reduce((a, b) => a + b, 0);
      expect((await clustering.showCluster(id)).desired_capacity).to.equal(total);
      for (const { name, weight } of zones) {
        expect(found[name] ?? 0, JSON.stringify(body)).to.be.at.least(
          Math.floor((total * weight) / 250) - 1,
        );
        expect(found[name] ?? 0, JSON.stringify(body)).to.be.at.most(
          Math.ceil((total * weight) / 250) + 1,
        );
      }
    }
  });
});
