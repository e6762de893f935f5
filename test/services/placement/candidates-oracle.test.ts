// Compares candidates with those of the reference search, for random forests and random requests at
// random versions, on SQLite and in process.
import { expect } from 'chai';
import { configOf } from '../../../src/config.ts';
import { machineNow } from '../../../src/kernel/clock.ts';
import { transact } from '../../../src/kernel/db/transaction.ts';
import { Query } from '../../../src/kernel/query.ts';
import * as handler from '../../../src/services/placement/handlers/allocation-candidates.ts';
import { placementVersions } from '../../../src/services/placement/versions.ts';
import { ownCloud } from '../../support/cloud.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import {
  canonical,
  ReferenceForest,
  type ReferenceAnswer,
  type ReferenceRequest,
} from './reference-search.ts';
import {
  crowdedRequest,
  narrowForest,
  queryOf,
  randomForest,
  randomRequest,
} from './random-candidates.ts';
import { plant } from './planted-forest.ts';
import type { Db } from '../../../src/kernel/db/database.ts';
import type { PlacementCall } from '../../../src/services/placement/call.ts';

/** CUMULET_TEST_SEED=... repeats a run. */
const firstSeed = Number(process.env['CUMULET_TEST_SEED'] ?? machineNow() % 1_000_000);
const forests = 25;
const requests = 60;
const narrow = 60;

interface Shown {
  allocation_requests: { allocations: unknown; mappings?: Record<string, string[]> }[];
  provider_summaries: Record<string, Summary>;
}

interface Summary {
  resources: Record<string, { capacity: number; used: number }>;
  traits?: string[];
  parent_provider_uuid?: string | null;
  root_provider_uuid?: string;
}

async function send(db: Db, query: string, minor: number): Promise<Shown> {
  const call = {
    db,
    now: 0,
    cloud: {
      config: configOf(),
      services: [],
      explanations: { add: () => {}, drop: () => {} },
      sharedState: { cached: { explainsAll: false } },
    },
    version: placementVersions.find(`1.${minor}`),
    query: new Query(query),
  };
  const { body } = await handler.list(call as unknown as PlacementCall);
  return JSON.parse(await textOf(body as Text)) as Shown;
}

type Text = string | Buffer | AsyncGenerator<string>;

/** Joins a reply whose search continues while it is written. */
async function textOf(body: Text): Promise<string> {
  if (Buffer.isBuffer(body)) return body.toString();
  let text = '';
  for await (const piece of body) text += piece;
  return text;
}

/** Renders each candidate of a reply on one line. */
function linesOf({ allocation_requests: given }: Shown, minor: number): string[] {
  const amounts = (allocations: unknown): Record<string, Record<string, number>> =>
    minor < 12
      ? Object.fromEntries(
          (
            allocations as {
              resource_provider: { uuid: string };
              resources: Record<string, number>;
            }[]
          ).map((one) => [one.resource_provider.uuid, one.resources]),
        )
      : Object.fromEntries(
          Object.entries(allocations as Record<string, { resources: Record<string, number> }>).map(
            ([uuid, one]) => [uuid, one.resources],
          ),
        );
  return given
    .map(({ allocations, mappings = {} }) =>
      canonical({ allocations: amounts(allocations), mappings }, minor >= 34),
    )
    .sort();
}

/** The expected summaries of a reply. */
function summariesOf(
  forest: ReferenceForest,
  shown: readonly string[],
  { minor, groups }: ReferenceRequest,
): Record<string, Summary> {
  const requested = new Set(groups.flatMap(({ resources }) => Object.keys(resources)));
  const summaries: Record<string, Summary> = {};
  for (const rp of forest.providers.filter(({ uuid }) => shown.includes(uuid))) {
    const inventories = Object.entries(rp.inventories).filter(
      ([name]) => minor >= 27 || requested.has(name),
    );
    const resources = inventories.map(([name, { total, reserved, allocation_ratio }]) => [
      name,
      { capacity: Math.trunc((total - reserved) * allocation_ratio), used: rp.used[name] ?? 0 },
    ]);
    summaries[rp.uuid] = {
      resources: Object.fromEntries(resources) as Summary['resources'],
      ...(minor >= 17 ? { traits: [...rp.traits].sort() } : {}),
      ...(minor >= 29
        ? { parent_provider_uuid: rp.parent, root_provider_uuid: forest.rootOf(rp) }
        : {}),
    };
  }
  return summaries;
}

function compare(
  forest: ReferenceForest,
  request: ReferenceRequest,
  got: Shown,
  expected: ReferenceAnswer,
): void {
  expect(linesOf(got, request.minor)).to.deep.equal(
    expected.candidates.map((one) => canonical(one, request.minor >= 34)).sort(),
  );
  for (const summary of Object.values(got.provider_summaries)) summary.traits?.sort();
  expect(got.provider_summaries).to.deep.equal(summariesOf(forest, expected.shown, request));
}

/**
 * With a limit, the reply has that many distinct candidates of the full list, and only summaries of
 * trees that they use.
 */
function compareLimited(limit: number, request: ReferenceRequest, got: Shown, all: Shown): void {
  const [few, many] = [linesOf(got, request.minor), linesOf(all, request.minor)];
  expect(few).to.have.length(Math.min(limit, many.length));
  for (const line of few)
    expect(
      many.splice(many.indexOf(line), 1),
      'one of all candidates, and not twice',
    ).to.deep.equal([line]);
  for (const [uuid, summary] of Object.entries(got.provider_summaries)) {
    const full = {
      ...all.provider_summaries[uuid]!,
      ...(summary.traits ? { traits: [...all.provider_summaries[uuid]!.traits!].sort() } : {}),
    };
    expect({
      ...summary,
      ...(summary.traits ? { traits: [...summary.traits].sort() } : {}),
    }).to.deep.equal(full);
  }
}

describe('Placement: candidates equal those of the reference search [sqlite]', function () {
  let opened: NonNullable<Awaited<ReturnType<typeof ownCloud>>>;
  before(async () => {
    opened = (await ownCloud('sqlite', { auth: 'noauth2' }))!;
  });
  after(() => opened.close());

  it(`in ${forests} forests, for ${requests} requests each, from seed ${firstSeed} on`, async () => {
    const { db } = opened.cloud.firstRegion.database;
    let found = 0;
    for (let seed = firstSeed; seed < firstSeed + forests; seed++) {
      const random = new SeededRandom(seed);
      const forest = new ReferenceForest(randomForest(random));
      await transact(db, (trx) => plant(trx, forest.providers, machineNow()));
      for (let count = 0; count < requests; count++) {
        const request = randomRequest(random, forest.providers);
        const query = queryOf(random, request);
        try {
          const got = await send(db, query, request.minor);
          compare(forest, request, got, forest.candidates(request));
          const limit = random.between(1, 5);
          if (request.minor >= 16)
            compareLimited(
              limit,
              request,
              await send(db, `${query}&limit=${limit}`, request.minor),
              got,
            );
          found += got.allocation_requests.length ? 1 : 0;
        } catch (error) {
          const { message } = error as Error;
          throw new Error(
            `CUMULET_TEST_SEED=${seed}, request ${count}: 1.${request.minor} ` +
              `?${query}\n${message}\n${JSON.stringify(forest.providers)}`,
            { cause: error },
          );
        }
      }
    }
    expect(found, 'requests that find something').to.be.greaterThan(forests * requests * 0.15);
  });

  it(`in ${narrow} trees with small inventories, from seed ${firstSeed} on`, async () => {
    const { db } = opened.cloud.firstRegion.database;
    let found = 0;
    for (let seed = firstSeed; seed < firstSeed + narrow; seed++) {
      const random = new SeededRandom(seed);
      const forest = new ReferenceForest(narrowForest(random));
      await transact(db, (trx) => plant(trx, forest.providers, machineNow()));
      const request = crowdedRequest(random);
      const query = queryOf(random, request);
      const got = await send(db, query, request.minor);
      try {
        compare(forest, request, got, forest.candidates(request));
      } catch (error) {
        throw new Error(
          `CUMULET_TEST_SEED=${seed}: ?${query}\n${JSON.stringify(forest.providers)}`,
          { cause: error },
        );
      }
      found += got.allocation_requests.length ? 1 : 0;
    }
    expect(found, 'requests that find something').to.be.greaterThan(narrow * 0.15);
  });
});
