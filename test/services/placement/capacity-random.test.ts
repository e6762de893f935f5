// Compares the counted capacity with what fits: for random forests with nested and sharing
// providers, and random requests at random versions, it claims the first candidate until none is
// left. On SQLite and in process.
import { expect } from 'chai';
import { configOf } from '../../../src/config.ts';
import { machineNow } from '../../../src/kernel/clock.ts';
import { systemContext } from '../../../src/kernel/context.ts';
import { transact } from '../../../src/kernel/db/transaction.ts';
import { Query } from '../../../src/kernel/query.ts';
import { replaceAllocations } from '../../../src/services/placement/domain/allocations.ts';
import { findCandidates } from '../../../src/services/placement/domain/candidates/find.ts';
import { readCandidateRequest } from '../../../src/services/placement/domain/candidates/request.ts';
import { countCandidates } from '../../../src/services/placement/domain/capacity/count.ts';
import { classTable } from '../../../src/services/placement/store/names.ts';
import { placementVersions } from '../../../src/services/placement/versions.ts';
import { ownCloud } from '../../support/cloud.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import { plant } from './planted-forest.ts';
import {
  crowdedRequest,
  narrowForest,
  queryOf,
  randomForest,
  randomRequest,
} from './random-candidates.ts';
import type { Db } from '../../../src/kernel/db/database.ts';
import type { CandidateRequest } from '../../../src/services/placement/model.ts';

/** CUMULET_TEST_SEED=... repeats a run. */
const firstSeed = Number(process.env['CUMULET_TEST_SEED'] ?? machineNow() % 1_000_000);
const forests = Number(process.env['CUMULET_TEST_FORESTS'] ?? 3);
const requests = 5;

/** Claims the first candidate until no candidate is left. @returns the number of claims */
async function claimAll(db: Db, request: CandidateRequest, nested: boolean): Promise<number> {
  const options = { nested, config: configOf(), steps: Infinity };
  for (let count = 0; ; count++) {
    const found = await findCandidates(db, { ...request, limit: 1 }, options);
    const [first] = found.candidates;
    if (!first) return count;
    const allocations = new Map<string, Record<string, number>>();
    for (const { node, classId, amount } of first.resources) {
      const own = allocations.get(node.uuid) ?? {};
      allocations.set(node.uuid, { ...own, [classTable.standardNames[classId]!]: amount });
    }
    const consumer = `11111111-1111-4111-8111-${String(count).padStart(12, '0')}`;
    const fields = { projectId: 'p', userId: 'u', generation: undefined, type: undefined };
    await replaceAllocations({ db, now: machineNow() }, [{ ...fields, consumer, allocations }]);
  }
}

describe('Placement: counted capacity is what fits [sqlite]', () => {
  let opened: NonNullable<Awaited<ReturnType<typeof ownCloud>>>;
  before(async () => {
    opened = (await ownCloud('sqlite', { auth: 'noauth2' }))!;
  });
  after(() => opened.close());

  async function check(
    seed: number,
    makeForest: (random: SeededRandom) => ReturnType<typeof randomForest>,
    makeRequest: (
      random: SeededRandom,
      forest: ReturnType<typeof randomForest>,
    ) => ReturnType<typeof randomRequest>,
  ): Promise<number> {
    const { db } = opened.cloud.firstRegion.database;
    const random = new SeededRandom(seed);
    const forest = makeForest(random);
    let sum = 0;
    for (let number = 0; number < requests; number++) {
      const drawn = makeRequest(random, forest);
      const query = queryOf(random, drawn);
      const request = readCandidateRequest(
        new Query(query),
        placementVersions.find(`1.${drawn.minor}`)!,
      );
      const nested = drawn.minor >= 29;
      const label = `seed ${seed}, request ${number}: 1.${drawn.minor} ${query}`;
      await transact(db, async (trx) => {
        await plant(trx, forest, machineNow());
        const { cloud } = opened;
        const context = systemContext(cloud, cloud.firstRegion, trx, machineNow());
        const { trees } = await countCandidates(context, request, nested);
        const counted = trees.reduce((total, { count }) => total + count, 0);
        expect(await claimAll(trx, request, nested), label).to.equal(counted);
        // With everything claimed, nothing more is counted, and every tree has a reason.
        const after = await countCandidates(context, request, nested);
        for (const { count, causes } of after.trees) {
          expect(count, label).to.equal(0);
          if (after.refusal === undefined) expect(causes, label).not.to.have.length(0);
        }
        sum += counted;
      });
    }
    return sum;
  }

  it(`in ${forests} forests, for ${requests} requests each, from seed ${firstSeed}`, async () => {
    let sum = 0;
    // If none of the requests fits into these few forests, the test draws more forests.
    for (let seed = firstSeed; seed < firstSeed + (sum > 0 ? forests : 20 * forests); seed++)
      sum += await check(seed, randomForest, randomRequest);
    expect(sum).to.be.greaterThan(0);
  });

  it(`in ${forests} trees with small inventories, from seed ${firstSeed} on`, async () => {
    for (let seed = firstSeed; seed < firstSeed + forests; seed++)
      await check(seed, narrowForest, crowdedRequest);
  });
});
