// Tests that a reset leaves nothing of the use of a cloud: it compares all rows of all tables with
// those of new clouds.
import { expect } from 'chai';
import type { Database } from '../../src/kernel/db/database.ts';
import { shapesOf } from '../../src/kernel/db/schema/shapes.ts';
import { Table } from '../../src/kernel/db/table.ts';
import type { Cloud } from '../../src/kernel/model.ts';
import type { Config } from '../../src/kernel/settings.ts';
import { profiles } from '../../src/services/tricircle/profiles.ts';
import { onEachDatabase, ownCloud } from '../support/cloud.ts';
import { SeededRandom } from '../support/seeded-random.ts';

/** The values of each column, as `database.table.column`, in the order of the table's key. */
type Contents = Map<string, unknown[]>;

/** What a reset keeps: secrets, locks and counters of the cloud, and when tokens become invalid. */
const kept = /^cumulet_|\.token_epoch$/;

const isTime = (column: string): boolean =>
  Table.declared.get(column)?.some((rules) => rules.isTime) ?? false;

async function contentsOf(cloud: Cloud): Promise<Contents> {
  const contents: Contents = new Map();
  const regions = [...cloud.regions.values()].map((region) => region.database);
  for (const database of [cloud.central, ...regions]) await readInto(contents, database);
  return contents;
}

/** Times are relative to the oldest one of the database. */
async function readInto(contents: Contents, database: Database): Promise<void> {
  const columns: [name: string, values: unknown[]][] = [];
  for (const { name, columns: all, key } of await shapesOf(database, database.db)) {
    const rows = (await database.db(name).orderBy([...key])) as Record<string, unknown>[];
    for (const column of all)
      if (!kept.test(name) && !kept.test(`${name}.${column.name}`))
        columns.push([`${name}.${column.name}`, rows.map((row) => row[column.name])]);
  }
  const times = columns.flatMap(([name, values]) => (isTime(name) ? values.map(Number) : []));
  const oldest = Math.min(...times.filter((time) => time > 0));
  for (const [name, values] of columns) {
    const isMoved = (value: unknown): boolean => isTime(name) && Number(value) > 0;
    contents.set(
      `${database.name}.${name}`,
      values.map((value) => (isMoved(value) ? Number(value) - oldest : value)),
    );
  }
}

/** The columns that have the same values in two new clouds: the others are random, or counters. */
function constantsOf(one: Contents, other: Contents): Contents {
  const sorted = (values: readonly unknown[] = []): string[] =>
    values.map((value) => JSON.stringify(value)).toSorted();
  return new Map(
    [...one].flatMap(([name, values]) =>
      sorted(values).join() === sorted(other.get(name)).join() ? [[name, sorted(values)]] : [],
    ),
  );
}

/** The columns of the first contents whose values differ in the second. */
const differing = (one: Contents, other: Contents): string[] =>
  [...one]
    .filter(([name, values]) => JSON.stringify(values) !== JSON.stringify(other.get(name)))
    .map(([name]) => name);

/** Deletes rows of random tables, changes columns of others, and inserts rows into the rest. */
async function scramble(database: Database, random: SeededRandom): Promise<void> {
  const { db } = database;
  const placeholder = { text: 'x', number: 7, bytes: Buffer.from('x') } as const;
  for (const { name, columns, key } of await shapesOf(database, db)) {
    if (kept.test(name)) continue;
    const choice = random.roll();
    const column = columns.find((one) => !key.includes(one.name)) ?? columns[0]!;
    const row = Object.fromEntries(columns.map((one) => [one.name, placeholder[one.type]]));
    // Some rows violate a key, and are refused.
    await Promise.resolve(
      choice < 0.3
        ? db(name).delete()
        : choice < 0.6
          ? db(name).update({ [column.name]: placeholder[column.type] })
          : db(name).insert(row),
    ).catch(() => undefined);
  }
}

const setups = {
  'two regions': { hosts: '2', regions: ['RegionOne', 'RegionTwo'], auth: 'noauth2' },
  'pods of a profile': {
    hosts: '2',
    regions: profiles['three-regions']!.map(({ region }) => region),
    pods: profiles['three-regions']!,
    auth: 'noauth2',
  },
} satisfies Record<string, Partial<Config>>;

for (const [title, setup] of Object.entries(setups))
  onEachDatabase(`the second reset of a cloud with ${title}`, setup, (world) => {
    const control = (method: 'POST' | 'DELETE', path: string, body?: object) =>
      world.ask('emulator', method, `/_emulator${path}`, { token: null, ...(body && { body }) });

    // MySQL goes on counting, so that rows that a reset inserts again have other numbers.
    const isNumber = (name: string): boolean =>
      world.kind === 'mysql' && /[._](?:id|number)$/.test(name);
    const withoutNumbers = (names: readonly string[]): string[] =>
      names.filter((name) => !isNumber(name));

    it('restores all rows of the first reset and of a new cloud', async () => {
      await control('POST', '/reset').expect(204);
      const first = await contentsOf(world.cloud);
      await control('POST', '/regions', { name: 'Fork', from: 'RegionOne' }).expect(201);
      await control('DELETE', '/regions/Fork').expect(204);
      const random = new SeededRandom(1);
      for (const { database } of [
        { database: world.cloud.central },
        ...world.cloud.regions.values(),
      ])
        await scramble(database, random);
      expect(differing(first, await contentsOf(world.cloud))).not.to.deep.equal([]);
      await control('POST', '/reset').expect(204);
      const second = await contentsOf(world.cloud);
      expect(withoutNumbers(differing(first, second))).to.deep.equal([]);

      const [one, other] = [await ownCloud(world.kind, setup), await ownCloud(world.kind, setup)];
      try {
        const constants = constantsOf(await contentsOf(one!.cloud), await contentsOf(other!.cloud));
        expect(constants.size).to.be.greaterThan(500);
        const found = differing(constants, constantsOf(second, second));
        expect(withoutNumbers(found)).to.deep.equal([]);
      } finally {
        await one?.close();
        await other?.close();
      }
    });
  });
