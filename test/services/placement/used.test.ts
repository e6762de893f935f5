// What inventories say is used is always the sum of the allocations, whatever is written, fails,
// and happens at the same time.
import { expect } from 'chai';
import { machineNow } from '../../../src/kernel/clock.ts';
import { onEachDatabase, type World } from '../../support/cloud.ts';
import { Dice } from './dice.ts';
import { asking, claimBody, consumer, newest, provider } from './makers.ts';

const seed = Number(process.env['CUMULET_TEST_SEED'] ?? machineNow() % 1_000_000);
const classes = ['VCPU', 'MEMORY_MB', 'DISK_GB'];
const providers = [1, 2, 3].map(provider);
const consumers = [1, 2, 3, 4].map(consumer);

/**
 * A write that a client may try, made without a look at what there is: many of them are refused,
 * which is part of it.
 */
type Attempt = (dice: Dice) => { line: string; body?: unknown };

const uses = (dice: Dice): Record<string, Record<string, number>> =>
  Object.fromEntries(
    dice
      .some([...providers, provider(9)], 0.35)
      .map((uuid) => [
        uuid,
        Object.fromEntries(
          [dice.pick(classes), dice.pick(classes)].map((name) => [name, dice.between(1, 6)]),
        ),
      ]),
  );
const body = (dice: Dice): object =>
  claimBody(uses(dice), { consumer_generation: dice.pick([null, null, 1, 2, 3]) });
const inventories = (dice: Dice): object =>
  Object.fromEntries(
    dice.some(classes, 0.75).map((name) => [
      name,
      {
        total: dice.between(1, 20),
        max_unit: dice.between(2, 20),
        allocation_ratio: dice.pick([1, 1.5]),
      },
    ]),
  );
const generation = (dice: Dice): number => dice.between(0, 60);

const attempts: readonly (readonly [weight: number, attempt: Attempt])[] = [
  [6, (dice) => ({ line: `PUT /allocations/${dice.pick(consumers)}`, body: body(dice) })],
  [
    3,
    (dice) => ({
      line: 'POST /allocations',
      body: Object.fromEntries(dice.some(consumers, 0.5).map((uuid) => [uuid, body(dice)])),
    }),
  ],
  [2, (dice) => ({ line: `DELETE /allocations/${dice.pick(consumers)}` })],
  [
    1,
    (dice) => ({
      line: `POST /resource_providers/${dice.pick(providers)}/inventories`,
      body: { resource_class: dice.pick(classes), total: dice.between(1, 20) },
    }),
  ],
  [
    3,
    (dice) => ({
      line: `PUT /resource_providers/${dice.pick(providers)}/inventories`,
      body: { resource_provider_generation: generation(dice), inventories: inventories(dice) },
    }),
  ],
  [
    2,
    (dice) => ({
      line: `PUT /resource_providers/${dice.pick(providers)}/inventories/${dice.pick(classes)}`,
      body: { resource_provider_generation: generation(dice), total: dice.between(1, 20) },
    }),
  ],
  [
    1,
    (dice) => ({
      line: `DELETE /resource_providers/${dice.pick(providers)}/inventories/${dice.pick(classes)}`,
    }),
  ],
  [1, (dice) => ({ line: `DELETE /resource_providers/${dice.pick(providers)}/inventories` })],
  [
    1,
    (dice) => ({
      line: `PUT /resource_providers/${dice.pick(providers)}`,
      body: {
        name: `moved ${dice.between(1, 1e9)}`,
        parent_provider_uuid: dice.pick([null, ...providers]),
      },
    }),
  ],
  [2, (dice) => ({ line: 'POST /reshaper', body: reshaping(dice) })],
];

function reshaping(dice: Dice): object {
  const shaped = dice
    .some(providers, 0.4)
    .map((uuid) => [
      uuid,
      { resource_provider_generation: generation(dice), inventories: inventories(dice) },
    ]);
  return {
    inventories: Object.fromEntries(shaped),
    allocations: Object.fromEntries(dice.some(consumers, 0.3).map((uuid) => [uuid, body(dice)])),
  };
}

const weighed = attempts.flatMap(([weight, attempt]) => Array<Attempt>(weight).fill(attempt));

/** The generations that stale writes lack, put in so that some get through. */
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

/** A request with what it sends, brought up to date by its path as well as by its own keys. */
async function made(world: World, dice: Dice): Promise<{ line: string; body?: unknown }> {
  const attempt = dice.pick(weighed)(dice);
  if (attempt.body === undefined || dice.chance(0.15)) return attempt;
  const subject = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(attempt.line)?.[0];
  if (subject === undefined) return { ...attempt, body: await upToDate(world, attempt.body) };
  const { [subject]: filled } = (await upToDate(world, { [subject]: attempt.body })) as Record<
    string,
    unknown
  >;
  return { ...attempt, body: filled };
}

/** What is stored as used, and what the allocations come to, by provider and class. */
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

onEachDatabase('Placement: what is used', { auth: 'noauth2' }, (world) => {
  const ask = asking(world);

  const start = async (): Promise<void> => {
    for (const uuid of providers)
      await ask('POST /resource_providers', newest, { body: { name: uuid, uuid } }).expect(200);
    for (const uuid of providers) {
      const all = Object.fromEntries(classes.map((name) => [name, { total: 12 }]));
      await ask(`PUT /resource_providers/${uuid}/inventories`, newest, {
        body: { resource_provider_generation: 0, inventories: all },
      }).expect(200);
    }
  };

  const attempt = async (dice: Dice): Promise<number> => {
    const { line, body: sent } = await made(world, dice);
    const { status, text } = await ask(line, newest, {
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

  it(`is the sum of the allocations after each of 150 random writes, from seed ${seed}`, async function () {
    const dice = new Dice(seed);
    await start();
    const statuses = new Map<number, number>();
    for (let count = 0; count < 150; count++) {
      const status = await attempt(dice);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      await check(`CUMULET_TEST_SEED=${seed}, after write ${count}`);
    }
    expect(
      (statuses.get(200) ?? 0) + (statuses.get(204) ?? 0),
      'writes that went through',
    ).to.be.greaterThan(10);
    expect(statuses.get(409) ?? 0, 'writes that did not').to.be.greaterThan(10);
  });

  it(`is the sum of the allocations after writes at the same time, from seed ${seed}`, async function () {
    const dice = new Dice(seed + 1);
    await start();
    for (let round = 0; round < 12; round++) {
      const several = Array.from({ length: 6 }, () => attempt(new Dice(dice.between(0, 2 ** 31))));
      for (const result of await Promise.allSettled(several))
        if (result.status === 'rejected') throw result.reason;
      await check(`CUMULET_TEST_SEED=${seed}, after round ${round}`);
    }
  });
});
