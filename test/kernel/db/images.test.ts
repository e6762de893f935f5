// Tests of the images of databases: what they restore, and what they leave alone.
import { expect } from 'chai';
import { SECOND } from '../../../src/kernel/clock.ts';
import type { Database, Db } from '../../../src/kernel/db/database.ts';
import { ImageCache } from '../../../src/kernel/db/images/image-cache.ts';
import { resettableTables } from '../../../src/kernel/db/state.ts';
import { transact } from '../../../src/kernel/db/transaction.ts';
import { noon, onEachDatabase } from '../../support/cloud.ts';

onEachDatabase('an image of a database', { auth: 'noauth2', hosts: '1' }, (world) => {
  let cache: ImageCache;
  beforeEach(() => (cache = new ImageCache()));

  const database = (): Database => world.cloud.firstRegion.database;
  const take = (key = 'k', now?: number): Promise<void> =>
    transact(database().db, async (db) => {
      const tables = await resettableTables(database(), '', db);
      await cache.take(database(), db, { key, tables, ...(now !== undefined && { now }) });
    });
  const restore = (key = 'k', now?: number): Promise<boolean> =>
    transact(database().db, (db) => cache.restore(database(), db, key, now));
  const rows = async (table: string, key = 'id'): Promise<Record<string, unknown>[]> =>
    (await database().db(table).orderBy(key)) as Record<string, unknown>[];

  it('restores every kind of value unchanged', async () => {
    const { db } = database();
    const payloads = [
      '?',
      '??',
      "it's",
      '"quoted"',
      'back\\slash \\? \\0',
      'ü 🙂',
      'line\nline',
      '',
    ];
    for (const payload of payloads)
      await db('outbox').insert({ kind: 'x', payload, created_at: noon, claimed_at: null });
    const bytes = Buffer.from([0, 1, 39, 92, 255]);
    const image = (await db('image_data').first('image_id')) as { image_id: string };
    await db('image_data').where(image).update({ bytes });
    const before = [await rows('outbox'), await db('image_data')];
    await take();
    await db('outbox').delete();
    await db('image_data').delete();
    expect(await restore()).to.equal(true);
    expect([await rows('outbox'), await db('image_data')]).to.deep.equal(before);
  });

  it('deletes new rows, restores changed and deleted ones, and keeps what they refer to', async () => {
    const { db } = database();
    const providers = await rows('placement_providers');
    const traits = await rows('placement_provider_traits', 'trait_id');
    await take();
    await db('placement_providers').update({ name: 'renamed' });
    await db('placement_provider_traits').delete();
    await db('volume_types').insert({ ...(await rows('volume_types'))[0], id: 'x', name: 'x' });
    await restore();
    expect(await rows('placement_providers')).to.deep.equal(providers);
    expect(await rows('placement_provider_traits', 'trait_id')).to.deep.equal(traits);
    expect((await rows('volume_types')).map(({ id }) => id)).not.to.include('x');
  });

  it('restores the rows that a foreign key has deleted', async () => {
    const { db } = database();
    const [flavor] = await rows('compute_flavors');
    const id = flavor!['id'];
    await db('compute_flavor_extra_specs').insert({ flavor_id: id, name: 'hw:x', value: '1' });
    const specs = await rows('compute_flavor_extra_specs', 'flavor_id');
    await take();
    await restore();
    await db('compute_flavors').where({ id }).delete();
    expect(await rows('compute_flavor_extra_specs', 'flavor_id')).to.deep.equal([]);
    await restore();
    expect(await rows('compute_flavor_extra_specs', 'flavor_id')).to.deep.equal(specs);
    expect((await rows('compute_flavors'))[0]).to.deep.equal(flavor);
  });

  it('restores what it had before a restore that was rolled back', async () => {
    const { db } = database();
    const before = await rows('volume_types');
    await take();
    await db('volume_types').insert({ ...before[0], id: 'x', name: 'x' });
    await transact(db, async (trx) => {
      await cache.restore(database(), trx, 'k');
      throw new Error('no');
    }).catch(() => undefined);
    expect((await rows('volume_types')).map(({ id }) => id)).to.include('x');
    await restore();
    expect(await rows('volume_types')).to.deep.equal(before);
  });

  it('restores what a restore of another image has changed', async () => {
    const { db } = database();
    const [before, flavors] = [await rows('volume_types'), await rows('compute_flavors')];
    await take('without', noon);
    await db('volume_types').insert({ ...before[0], id: 'x', name: 'x' });
    await take('with', noon);
    const idsAfter = async (key: string, now: number): Promise<unknown[]> => {
      await restore(key, now);
      return (await rows('volume_types')).map(({ id }) => id);
    };
    for (let round = 0; round < 2; round++) {
      expect(await idsAfter('without', noon)).not.to.include('x');
      expect(await idsAfter('with', noon + SECOND)).to.include('x');
    }
    await restore('without', noon);
    expect([await rows('volume_types'), await rows('compute_flavors')]).to.deep.equal([
      before,
      flavors,
    ]);
  });

  it('restores the rows that a restore of another image has deleted by a foreign key', async () => {
    const { db } = database();
    const id = (await rows('compute_flavors'))[0]!['id'];
    await db('compute_flavor_extra_specs').insert({ flavor_id: id, name: 'hw:x', value: '1' });
    const specs = await rows('compute_flavor_extra_specs', 'flavor_id');
    await take('with', noon);
    await db('compute_flavors').where({ id }).delete();
    await take('without', noon);
    for (let round = 0; round < 2; round++) {
      await restore('with', noon);
      expect(await rows('compute_flavor_extra_specs', 'flavor_id')).to.deep.equal(specs);
      await restore('without', noon);
      expect(await rows('compute_flavor_extra_specs', 'flavor_id')).to.deep.equal([]);
    }
  });

  it('moves the times of its rows, and nothing else', async () => {
    const { db } = database();
    const [flavor] = await rows('compute_flavors');
    await take('k', noon);
    await db('compute_flavors').where({ id: flavor!['id'] }).update({ name: 'renamed' });
    await restore('k', noon + 300 * SECOND);
    const [restored] = await rows('compute_flavors');
    expect(restored).to.deep.equal({
      ...flavor,
      created_at: Number(flavor!['created_at']) + 300 * SECOND,
    });
  });

  it('moves the times of a large table that is the same otherwise', async () => {
    const { db } = database();
    const traits = await rows('placement_traits');
    await take('k', noon);
    // One of the times stays 0, for never.
    await db('placement_traits').update({ created_at: noon, updated_at: noon + SECOND });
    await db('placement_traits').where({ id: 1 }).update({ updated_at: 0 });
    const changed = await rows('placement_traits');
    await take('changed', noon);
    for (const [key, taken] of [
      ['k', traits],
      ['changed', changed],
    ] as const)
      for (const later of [7 * SECOND, 3 * SECOND]) {
        await restore(key, noon + later);
        const moved = (time: unknown): unknown => (time ? Number(time) + later : time);
        expect(await rows('placement_traits'), key).to.deep.equal(
          taken.map((row) => ({
            ...row,
            created_at: moved(row['created_at']),
            updated_at: moved(row['updated_at']),
          })),
        );
      }
  });

  it('restores a large table in which one value has changed', async () => {
    const { db } = database();
    const traits = await rows('placement_traits');
    const changes = [
      () => db('placement_traits').where({ id: 5 }).update({ name: 'CUSTOM_X' }),
      () => db('placement_traits').where({ id: 6 }).update({ updated_at: noon }),
      () => db('placement_traits').where({ id: 7 }).delete(),
    ];
    for (const change of changes) {
      await take('k', noon);
      await change();
      await restore('k', noon);
      await change();
      await restore('k', noon);
      expect(await rows('placement_traits')).to.deep.equal(traits);
    }
  });

  it('leaves the tables of the emulator alone', async () => {
    await take();
    await database().db('cumulet_locks').insert({ name: 'mine', acquired: 7 });
    await restore();
    const found = (await database().db('cumulet_locks').where({ name: 'mine' })) as object[];
    expect(found).to.have.length(1);
  });

  it('of a transaction that rolls back does not exist', async () => {
    const failing = transact(database().db, async (db: Db) => {
      await cache.take(database(), db, { key: 'k', tables: ['compute_flavors'] });
      throw new Error('no');
    });
    await failing.catch(() => undefined);
    expect(await restore()).to.equal(false);
  });

  it('is dropped if four others have been used since', async () => {
    for (const key of ['a', 'b', 'c', 'd']) await take(key);
    await restore('a');
    await take('e');
    const found: boolean[] = [];
    for (const key of ['a', 'b', 'c', 'd', 'e']) found.push(await restore(key));
    expect(found).to.deep.equal([true, false, true, true, true]);
  });
});
