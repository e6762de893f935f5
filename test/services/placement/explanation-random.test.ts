// Compares explanations of candidates with the candidates themselves, for random forests and
// random requests at random versions, on SQLite and in process.
import { expect } from 'chai';
import { configOf } from '../../../src/config.ts';
import { machineNow } from '../../../src/kernel/clock.ts';
import { systemContext } from '../../../src/kernel/context.ts';
import { transact } from '../../../src/kernel/db/transaction.ts';
import { Query } from '../../../src/kernel/query.ts';
import { findCandidates } from '../../../src/services/placement/domain/candidates/find.ts';
import { readCandidateRequest } from '../../../src/services/placement/domain/candidates/request.ts';
import type { Change } from '../../../src/services/placement/domain/explanation/changes.ts';
import {
  explainCandidates,
  type CandidatesExplanation,
} from '../../../src/services/placement/domain/explanation/explain.ts';
import { classTable, traitTable } from '../../../src/services/placement/store/names.ts';
import { aggregateNames } from '../../../src/services/placement/store/aggregates.ts';
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
import type { ReferenceProvider, ReferenceRequest } from './reference-search.ts';

/** CUMULET_TEST_SEED=... repeats a run. */
const firstSeed = Number(process.env['CUMULET_TEST_SEED'] ?? machineNow() % 1_000_000);
const forests = 5;
const requests = 8;

/** The forest after some changes of its providers. */
function changedForest(
  forest: readonly ReferenceProvider[],
  changes: readonly Change[],
  aggregates: ReadonlyMap<number, string>,
): ReferenceProvider[] {
  return forest.map((provider) =>
    changes
      .filter(({ node }) => node.uuid === provider.uuid)
      .reduce((one, change) => changedProvider(one, change, aggregates), provider),
  );
}

function changedProvider(
  provider: ReferenceProvider,
  change: Change,
  names: ReadonlyMap<number, string>,
): ReferenceProvider {
  const { inventories, used, traits, aggregates } = provider;
  if ('classId' in change) {
    const name = classTable.standardNames[change.classId]!;
    const { amount } = change;
    const inventory = inventories[name]!;
    if (change.change === 'add_inventory') {
      const added = { total: amount, reserved: 0, min_unit: 1, max_unit: amount, step_size: 1 };
      return {
        ...provider,
        inventories: { ...inventories, [name]: { ...added, allocation_ratio: 1 } },
      };
    }
    // The same amount becomes free if the capacity grows by it.
    const total = { ...inventory, total: inventory.total + amount / inventory.allocation_ratio };
    if (change.change === 'free' || change.change === 'add_capacity')
      return (used[name] ?? 0) > amount
        ? { ...provider, used: { ...used, [name]: used[name]! - amount } }
        : {
            ...provider,
            inventories: { ...inventories, [name]: { ...total, total: Math.ceil(total.total) } },
          };
    const field = change.change.slice(4);
    return {
      ...provider,
      inventories: { ...inventories, [name]: { ...inventory, [field]: amount } },
    };
  }
  if ('trait' in change) {
    const name = traitTable.standardNames[change.trait]!;
    const others = traits.filter((one) => one !== name);
    return { ...provider, traits: change.change === 'add_trait' ? [...others, name] : others };
  }
  const name = names.get(change.aggregate)!;
  const others = aggregates.filter((one) => one !== name);
  return {
    ...provider,
    aggregates: change.change === 'add_aggregate' ? [...others, name] : others,
  };
}

describe('Placement: explanations agree with candidates [sqlite]', () => {
  let opened: NonNullable<Awaited<ReturnType<typeof ownCloud>>>;
  before(async () => {
    opened = (await ownCloud('sqlite', { auth: 'noauth2' }))!;
  });
  after(() => opened.close());

  const readRequest = (random: SeededRandom, request: ReferenceRequest) =>
    readCandidateRequest(
      new Query(queryOf(random, request)),
      placementVersions.find(`1.${request.minor}`)!,
    );

  /** Whether the tree has a candidate in a forest, even if another tree has the same one. */
  const isCandidate = ({ trees }: CandidatesExplanation, uuid: string): boolean =>
    trees.some(
      ({ root, offered, causes }) =>
        root.uuid === uuid && (offered || causes[0]?.cause === 'duplicate'),
    );

  async function check(
    db: Db,
    forest: readonly ReferenceProvider[],
    seed: number,
    minor: number,
    request: ReturnType<typeof readRequest>,
  ) {
    const options = { nested: minor >= 29, config: configOf(), maxChanges: 10 };
    const explain = async (planted: readonly ReferenceProvider[]): Promise<CandidatesExplanation> =>
      transact(db, async (trx) => {
        await plant(trx, planted, machineNow());
        const { cloud } = opened;
        const context = systemContext(cloud, cloud.firstRegion, trx, machineNow());
        return explainCandidates(context, request, options);
      });
    const explained = await explain(forest);
    const found = await findCandidates(db, request, {
      ...options,
      steps: Infinity,
    });
    const offered = new Set(
      found.candidates.flatMap(({ resources }) => resources.map(({ node }) => node.rootId)),
    );
    let changes = 0;
    for (const { root, offered: isOffered, causes, change } of explained.trees) {
      const kinds = JSON.stringify(causes.map(({ cause }) => cause));
      const label = `seed ${seed}, tree ${root.uuid}: ${kinds}`;
      expect(isOffered, label).to.equal(offered.has(root.id));
      if (!isOffered) expect(causes, label).not.to.have.length(0);
      if (!change) continue;
      changes++;
      const ids = change.flatMap((one) => ('aggregate' in one ? [one.aggregate] : []));
      const names = await aggregateNames(db, ids);
      const edits = change.map(({ node, ...rest }) => ({ ...rest, on: node.uuid }));
      const text = `${label} ${JSON.stringify(edits)}`;
      expect(
        isCandidate(await explain(changedForest(forest, change, names)), root.uuid),
        text,
      ).to.equal(true);
      for (const part of change) {
        const others = change.filter((one) => one !== part);
        const without = await explain(changedForest(forest, others, names));
        expect(isCandidate(without, root.uuid), `${text} without ${part.change}`).to.equal(false);
      }
    }
    return { changes, rejected: explained.trees.filter((one) => !one.offered).length };
  }

  /** Checks all requests of a forest. @returns how many trees were rejected and have a change */
  async function checkForest(seed: number): Promise<{ changes: number; rejected: number }> {
    const { db } = opened.cloud.firstRegion.database;
    const random = new SeededRandom(seed);
    const forest = randomForest(random);
    const total = { changes: 0, rejected: 0 };
    for (let count = 0; count < requests; count++) {
      const request = randomRequest(random, forest);
      const asked = readRequest(random, request);
      const { changes, rejected } = await check(db, forest, seed, request.minor, asked);
      total.changes += changes;
      total.rejected += rejected;
    }
    return total;
  }

  it(`in ${forests} forests, for ${requests} requests each, from seed ${firstSeed} on`, async () => {
    const total = { changes: 0, rejected: 0 };
    for (let seed = firstSeed; seed < firstSeed + forests; seed++) {
      const { changes, rejected } = await checkForest(seed);
      total.changes += changes;
      total.rejected += rejected;
    }
    expect(total.changes / total.rejected, 'changes found').to.be.greaterThan(0.4);
  });

  it('if a part is needed only because of another that is not', async () => {
    await checkForest(20_231);
  });

  it(`in ${forests} trees with small inventories, from seed ${firstSeed} on`, async () => {
    const { db } = opened.cloud.firstRegion.database;
    for (let seed = firstSeed; seed < firstSeed + forests; seed++) {
      const random = new SeededRandom(seed);
      const request = crowdedRequest(random);
      await check(db, narrowForest(random), seed, request.minor, readRequest(random, request));
    }
  });
});
