// Tests of resetting a cloud, and of the values that its processes share.
import { expect } from 'chai';
import { writeClock } from '../../../src/emulator/clock/clock.ts';
import { emulatedNow, machineNow, SECOND, yieldToEventLoop } from '../../../src/kernel/clock.ts';
import {
  bumpAuthRevision,
  emptyAndRefill,
  resettableTables,
  SharedState,
  writeSharedValue,
} from '../../../src/kernel/db/state.ts';
import { transact } from '../../../src/kernel/db/transaction.ts';
import { schedule } from '../../../src/kernel/jobs/queue.ts';
import type { Region, Service } from '../../../src/kernel/model.ts';
import { noon, onEachDatabase } from '../../support/cloud.ts';
import { rowCounter } from '../../support/rows.ts';
import type { Database } from '../../../src/kernel/db/database.ts';
import { resetCloud } from '../../../src/emulator/reset/reset.ts';

const regions = ['RegionOne', 'RegionTwo'];

onEachDatabase('a reset', { regions, auth: 'noauth2' }, (world) => {
  const central = (): Database => world.cloud.central;
  const region = (name = 'RegionOne'): Region => world.cloud.regions.get(name)!;
  const service = (name: string): Service =>
    world.cloud.services.find(({ definition }) => definition.name === name)!;
  const providers = async (name?: string): Promise<string[]> =>
    (await region(name)
      .database.db('placement_providers')
      .orderBy('name')
      .pluck('name')) as string[];
  const projects = async (): Promise<string[]> =>
    (await central().db('identity_projects').orderBy('name').pluck('name')) as string[];

  /** Creates records of each service in each region, and pending jobs. */
  beforeEach(async () => {
    for (const path of ['/placement', '/RegionTwo/placement']) {
      await world
        .ask('placement', 'POST', `${path}/resource_providers`, { body: { name: 'host' } })
        .expect(201);
    }
    for (const kind of ['placement.x', 'reservation.x']) {
      for (const name of regions)
        await schedule(region(name).database.db, { dueAt: noon + 1e9, kind, subject: 's' });
    }
    await central().db('identity_projects').where({ name: 'demo' }).update({ name: 'renamed' });
  });

  const jobs = async (name?: string): Promise<string[]> =>
    (await region(name).database.db('jobs').orderBy('kind').pluck('kind')) as string[];

  it('of the cloud restores the state of a new one', async () => {
    const fresh = async (): Promise<unknown> =>
      JSON.stringify([await (await rowCounter(world.cloud))(), await projects()]);
    await resetCloud(world.cloud, {});
    const before = await fresh();
    expect([
      await providers(),
      await providers('RegionTwo'),
      await jobs(),
      await jobs('RegionTwo'),
    ]).to.deep.equal([[], [], [], []]);
    expect(await projects())
      .to.include('demo')
      .and.not.include('renamed');
    await resetCloud(world.cloud, {});
    expect(await fresh()).to.equal(before);
  });

  it('of a region keeps the other regions and the central services', async () => {
    await resetCloud(world.cloud, { region: region('RegionTwo') });
    expect([await providers(), await providers('RegionTwo')]).to.deep.equal([['host'], []]);
    expect([await jobs(), await jobs('RegionTwo')]).to.deep.equal([
      ['placement.x', 'reservation.x'],
      [],
    ]);
    expect(await projects()).to.include('renamed');
  });

  it('of a service keeps the other services, in all regions', async () => {
    await resetCloud(world.cloud, { service: service('placement') });
    expect([await providers(), await providers('RegionTwo')]).to.deep.equal([[], []]);
    expect([await jobs(), await jobs('RegionTwo')]).to.deep.equal([
      ['reservation.x'],
      ['reservation.x'],
    ]);
    expect(await projects()).to.include('renamed');
    await resetCloud(world.cloud, { service: service('identity') });
    expect(await projects())
      .to.include('demo')
      .and.not.include('renamed');
  });

  it('of a service in a region keeps that service in other regions', async () => {
    await resetCloud(world.cloud, { service: service('placement'), region: region('RegionTwo') });
    expect([await providers(), await providers('RegionTwo')]).to.deep.equal([['host'], []]);
    expect([await jobs(), await jobs('RegionTwo')]).to.deep.equal([
      ['placement.x', 'reservation.x'],
      ['reservation.x'],
    ]);
  });

  it('of the cloud resets the clock before it seeds records', async () => {
    await world.setTime('2030-01-01T00:00:00Z');
    await resetCloud(world.cloud, {});
    const { clock } = await world.cloud.sharedState.read();
    expect(clock).to.deep.equal({ frozenAt: null, offset: 0 });
    const { created_at: made } = (await region()
      .database.db('placement_traits')
      .first('created_at')) as { created_at: number };
    expect(Math.abs(Number(made) - machineNow()) / SECOND).to.be.lessThan(60);
  });

  it('of a service or a region keeps the clock', async () => {
    await world.setTime('2030-01-01T00:00:00Z');
    await resetCloud(world.cloud, { service: service('identity') });
    await resetCloud(world.cloud, { region: region() });
    expect((await world.cloud.sharedState.read()).clock.frozenAt).to.be.greaterThan(noon);
  });

  it('keeps the tables cumulet_*: secrets, locks and applied migrations', async () => {
    const secrets = await central()
      .db('cumulet_secrets')
      .where('name', 'like', '%key%')
      .orderBy('name');
    await region().database.db('cumulet_locks').insert({ name: 'kept', acquired: 7 });
    await resetCloud(world.cloud, {});
    expect(
      await central().db('cumulet_secrets').where('name', 'like', '%key%').orderBy('name'),
    ).to.deep.equal(secrets);
    expect(secrets).to.have.length.greaterThan(0);
    expect(await region().database.db('cumulet_locks').where({ name: 'kept' }).delete()).to.equal(
      1,
    );
    expect(await central().db('cumulet_migrations').pluck('name')).to.include('kernel-1');
  });

  it('empties every table in the database, new ones included', async () => {
    const { db } = region().database;
    await db.schema.createTable('placement_zoo', (table) => {
      table.integer('id').primary();
      table.integer('parent').references('placement_zoo.id');
    });
    try {
      await db('placement_zoo').insert({ id: 1 });
      await db('placement_zoo').insert({ id: 2, parent: 1 });
      await resetCloud(world.cloud, {});
      expect(await db('placement_zoo').pluck('id')).to.deep.equal([]);
    } finally {
      await db.schema.dropTable('placement_zoo');
    }
  });

  it('leaves foreign keys enforced', async () => {
    await resetCloud(world.cloud, {});
    const row = { provider_id: 12345, trait_id: 1 };
    const refused = await region()
      .database.db('placement_provider_traits')
      .insert(row)
      .then(
        () => false,
        () => true,
      );
    expect(refused).to.equal(true);
  });

  it('is rolled back if the seed fails', async () => {
    const failing = (): Promise<void> => Promise.reject(new Error('no seed'));
    const { database } = region();
    const refilled = transact(database.db, async (db) =>
      emptyAndRefill(database, db, await resettableTables(database, '', db), failing),
    );
    expect(await refilled.catch((error: Error) => error.message)).to.equal('no seed');
    expect(await providers()).to.deep.equal(['host']);
  });

  it('causes no 5xx for concurrent requests', async () => {
    const post = (name: string): Promise<{ status: number }> =>
      Promise.resolve(
        world.ask('placement', 'POST', '/placement/resource_providers', { body: { name } }),
      );
    const statuses = await Promise.all(
      Array.from({ length: 10 }, async (_, n) =>
        n === 5 ? (await resetCloud(world.cloud, {}), 204) : (await post(`p${n}`)).status,
      ),
    );
    for (const status of statuses) expect(status).to.be.lessThan(500);
  });
});

onEachDatabase('the shared state', {}, (world) => {
  it('is read once by requests that come at the same time', async () => {
    const { central } = world.cloud;
    const shared = new SharedState(central);
    let queries = 0;
    const count = (): void => void queries++;
    central.db.on('query', count);
    const [first, ...others] = await Promise.all([1, 2, 3, 4].map(() => shared.read()));
    central.db.off('query', count);
    expect(others.every((values) => values === first)).to.equal(true);
    expect(queries).to.equal(1);
  });

  it('is read again by a request after a write, even during an earlier read', async () => {
    const { central } = world.cloud;
    const shared = new SharedState(central);
    const earlier = shared.read();
    await writeSharedValue(central.db, 'journal.limit', '7');
    shared.invalidate();
    expect((await shared.read()).journalLimit).to.equal(7);
    await earlier;
  });

  it('is current after a write in the same process, and after a refresh in others', async () => {
    const other = new SharedState(world.cloud.central);
    await other.read();
    await transact(world.cloud.central.db, (db) => writeClock(db, { frozenAt: 5, offset: 0 }));
    world.cloud.sharedState.invalidate();
    expect((await world.cloud.sharedState.read()).clock.frozenAt).to.equal(5);
    expect((await other.refresh()).clock.frozenAt).to.equal(5);
  });

  it('may freeze the clock at time 0', async () => {
    await transact(world.cloud.central.db, (db) => writeClock(db, { frozenAt: 0, offset: 0 }));
    expect(emulatedNow((await world.cloud.sharedState.refresh()).clock)).to.equal(0);
  });

  it('increments the revision once for each of several concurrent writes', async () => {
    const { authRevision: before } = await world.cloud.sharedState.refresh();
    await Promise.all([1, 2, 3].map(() => transact(world.cloud.central.db, bumpAuthRevision)));
    expect((await world.cloud.sharedState.refresh()).authRevision).to.equal(before + 3);
  });

  it('overwrites a value', async () => {
    const { db } = world.cloud.central;
    await writeSharedValue(db, 'test', 'a');
    await writeSharedValue(db, 'test', 'b');
    expect(await db('cumulet_state').where({ name: 'test' }).pluck('value')).to.deep.equal(['b']);
    await db('cumulet_state').where({ name: 'test' }).delete();
  });
});

describe('a read of the shared state that ends after a later one', () => {
  it('does not replace the values of the later one', async () => {
    const answers: ((rows: object[]) => void)[] = [];
    const compiled = { toSQL: () => ({ bindings: [] }) };
    const queryBuilder = () =>
      Object.assign(new Promise<object[]>((resolve) => answers.push(resolve)), compiled);
    const table = () => ({ select: () => ({ orderBy: () => compiled }) });
    const db = Object.assign(table, { client: { driverName: 'none' }, queryBuilder });
    const shared = new SharedState({ kind: 'mysql', db } as unknown as Database);
    const [earlier, later] = [shared.read(), (shared.invalidate(), shared.read())];
    await yieldToEventLoop(); // both have asked the database
    answers[1]!([{ name: 'journal.limit', value: '2' }]);
    await later;
    answers[0]!([{ name: 'journal.limit', value: '1' }]);
    await earlier;
    expect(shared.cached.journalLimit).to.equal(2);
  });
});
