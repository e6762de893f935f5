// The `used` of inventories always equals the sum of their allocations, after random, failing and
// concurrent writes.
import { expect } from 'chai';
import { machineNow } from '../../../src/kernel/clock.ts';
import { onEachDatabase, type World } from '../../support/cloud.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import { senderFor, claimBody, consumer, newest, provider } from './support.ts';

const seed = Number(process.env['CUMULET_TEST_SEED'] ?? machineNow() % 1_000_000);
const classes = ['VCPU', 'MEMORY_MB', 'DISK_GB'];
const providers = [1, 2, 3].map(provider);
const consumers = [1, 2, 3, 4].map(consumer);

/**
 * Generates a random write, regardless of the current state. Many of these writes fail, which is
 * part of the test.
 */
type Attempt = (random: SeededRandom) => { line: string; body?: unknown };

const uses = (random: SeededRandom): Record<string, Record<string, number>> =>
  Object.fromEntries(
    random
      .some([...providers, provider(9)], 0.35)
      .map((uuid) => [
        uuid,
        Object.fromEntries(
          [random.pick(classes), random.pick(classes)].map((name) => [name, random.between(1, 6)]),
        ),
      ]),
  );
const body = (random: SeededRandom): object =>
  claimBody(uses(random), { consumer_generation: random.pick([null, null, 1, 2, 3]) });
const inventories = (random: SeededRandom): object =>
  Object.fromEntries(
    random.some(classes, 0.75).map((name) => [
      name,
      {
        total: random.between(1, 20),
        max_unit: random.between(2, 20),
        allocation_ratio: random.pick([1, 1.5]),
      },
    ]),
  );
const generation = (random: SeededRandom): number => random.between(0, 60);

const attempts: readonly (readonly [weight: number, attempt: Attempt])[] = [
  [6, (random) => ({ line: `PUT /allocations/${random.pick(consumers)}`, body: body(random) })],
  [
    3,
    (random) => ({
      line: 'POST /allocations',
      body: Object.fromEntries(random.some(consumers, 0.5).map((uuid) => [uuid, body(random)])),
    }),
  ],
  [2, (random) => ({ line: `DELETE /allocations/${random.pick(consumers)}` })],
  [
    1,
    (random) => ({
      line: `POST /resource_providers/${random.pick(providers)}/inventories`,
      body: { resource_class: random.pick(classes), total: random.between(1, 20) },
    }),
  ],
  [
    3,
    (random) => ({
      line: `PUT /resource_providers/${random.pick(providers)}/inventories`,
      body: { resource_provider_generation: generation(random), inventories: inventories(random) },
    }),
  ],
  [
    2,
    (random) => ({
      line: `PUT /resource_providers/${random.pick(providers)}/inventories/${random.pick(classes)}`,
      body: { resource_provider_generation: generation(random), total: random.between(1, 20) },
    }),
  ],
  [
    1,
    (random) => ({
      line:
        'DELETE ' +
        `/resource_providers/${random.pick(providers)}/inventories/${random.pick(classes)}`,
    }),
  ],
  [1, (random) => ({ line: `DELETE /resource_providers/${random.pick(providers)}/inventories` })],
  [
    1,
    (random) => ({
      line: `PUT /resource_providers/${random.pick(providers)}`,
      body: {
        name: `moved ${random.between(1, 1e9)}`,
        parent_provider_uuid: random.pick([null, ...providers]),
      },
    }),
  ],
  [2, (random) => ({ line: 'POST /reshaper', body: reshaping(random) })],
];

function reshaping(random: SeededRandom): object {
  const shaped = random
    .some(providers, 0.4)
    .map((uuid) => [
      uuid,
      { resource_provider_generation: generation(random), inventories: inventories(random) },
    ]);
  return {
    inventories: Object.fromEntries(shaped),
    allocations: Object.fromEntries(
      random.some(consumers, 0.3).map((uuid) => [uuid, body(random)]),
    ),
  };
}

const weighed = attempts.flatMap(([weight, attempt]) => Array<Attempt>(weight).fill(attempt));

/** Replaces generations by current ones, so that some writes succeed. */
async function upToDate(world: World, sent: unknown): Promise<unknown> {
  const { db } = world.cloud.firstRegion.database;
  const rows = (await db('placement_providers').select('uuid', 'generation')) as {
    uuid: string;
    generation: number;
  }[];
  const now = new Map(rows.map((row) => [row.uuid, row.generation]));
  const owned = (await db('placement_consumers').select('uuid', 'generation')) as {
    uuid: string;
    generation: number;
  }[];
  const claims = new Map(owned.map((row) => [row.uuid, row.generation]));
  const fill = (value: unknown, key: string): unknown => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const fields = Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, fill(inner, name)]),
    );
    if ('resource_provider_generation' in fields && now.has(key))
      fields['resource_provider_generation'] = now.get(key);
    if ('consumer_generation' in fields && consumers.includes(key))
      fields['consumer_generation'] = claims.get(key) ?? null;
    return fields;
  };
  return fill(sent, '');
}

/** Sets the current generations in a request, by its path and by the keys of its body. */
async function made(world: World, random: SeededRandom): Promise<{ line: string; body?: unknown }> {
  const attempt = random.pick(weighed)(random);
  if (attempt.body === undefined || random.chance(0.15)) return attempt;
  const subject = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(attempt.line)?.[0];
  if (subject === undefined) return { ...attempt, body: await upToDate(world, attempt.body) };
  const { [subject]: filled } = (await upToDate(world, { [subject]: attempt.body })) as Record<
    string,
    unknown
  >;
  return { ...attempt, body: filled };
}

/** Reads the stored `used` and the sums of the allocations, by provider and class. */
async function sums(world: World): Promise<{ stored: string[]; real: string[] }> {
  const { db } = world.cloud.firstRegion.database;
  const stored = (await db('placement_inventories')
    .where('used', '<>', 0)
    .select('provider_id', 'class_id', 'used')) as Row[];
  const real = (await db('placement_allocations')
    .groupBy('provider_id', 'class_id')
    .select('provider_id', 'class_id')
    .sum('used as used')) as unknown as Row[];
  const lines = (rows: readonly Row[]): string[] =>
    rows.map((row) => `${row.provider_id}/${row.class_id}: ${Number(row.used)}`).sort();
  return { stored: lines(stored), real: lines(real) };
}

interface Row {
  provider_id: number;
  class_id: number;
  used: number | string;
}

onEachDatabase('Placement: used amounts', { auth: 'noauth2' }, (world) => {
  const send = senderFor(world);

  const start = async (): Promise<void> => {
    for (const uuid of providers)
      await send('POST /resource_providers', newest, { body: { name: uuid, uuid } }).expect(200);
    for (const uuid of providers) {
      const all = Object.fromEntries(classes.map((name) => [name, { total: 12 }]));
      await send(`PUT /resource_providers/${uuid}/inventories`, newest, {
        body: { resource_provider_generation: 0, inventories: all },
      }).expect(200);
    }
  };

  const attempt = async (random: SeededRandom): Promise<number> => {
    const { line, body: sent } = await made(world, random);
    const { status, text } = await send(line, newest, {
      headers: { 'x-roles': 'admin,service' },
      ...(sent === undefined ? {} : { body: sent }),
    });
    expect(status, `${line} ${JSON.stringify(sent)}: ${text}`).to.be.lessThan(500);
    return status;
  };

  const check = async (what: string): Promise<void> => {
    const { stored, real } = await sums(world);
    expect(stored, what).to.deep.equal(real);
    const { db } = world.cloud.firstRegion.database;
    const idle = await db('placement_consumers as c')
      .leftJoin('placement_allocations as a', 'a.consumer_id', 'c.id')
      .whereNull('a.consumer_id')
      .count('* as count');
    expect(
      Number((idle as { count: number }[])[0]!.count),
      `${what}: consumers that use nothing`,
    ).to.equal(0);
    const strays = (await db('placement_inventories as i')
      .join('placement_providers as p', 'p.id', 'i.provider_id')
      .whereRaw('i.root_id <> p.root_id')
      .select('i.provider_id')) as unknown[];
    expect(strays, `${what}: inventories of another tree`).to.deep.equal([]);
  };

  it(`equal the allocations after each of 150 random writes, from seed ${seed} #placement-17`, async function () {
    const random = new SeededRandom(seed);
    await start();
    const statuses = new Map<number, number>();
    for (let count = 0; count < 150; count++) {
      const status = await attempt(random);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      await check(`CUMULET_TEST_SEED=${seed}, after write ${count}`);
    }
    expect(
      (statuses.get(200) ?? 0) + (statuses.get(204) ?? 0),
      'writes that went through',
    ).to.be.greaterThan(10);
    expect(statuses.get(409) ?? 0, 'writes that did not').to.be.greaterThan(10);
  });

  it(`equal the allocations after concurrent writes, from seed ${seed}`, async function () {
    const random = new SeededRandom(seed + 1);
    await start();
    for (let round = 0; round < 12; round++) {
      const several = Array.from({ length: 6 }, () =>
        attempt(new SeededRandom(random.between(0, 2 ** 31))),
      );
      for (const result of await Promise.allSettled(several))
        if (result.status === 'rejected') throw result.reason;
      await check(`CUMULET_TEST_SEED=${seed}, after round ${round}`);
    }
  });
});
