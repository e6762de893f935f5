// Tests of guarded writes on each database: what they do if another transaction comes in between.
import { expect } from 'chai';
import { SerializationFailure } from '../../../src/kernel/db/errors.ts';
import { guarded } from '../../../src/kernel/db/guarded.ts';
import { transact } from '../../../src/kernel/db/transaction.ts';
import { conflict } from '../../../src/kernel/errors.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import type { Db } from '../../../src/kernel/db/database.ts';

const lost = (): SerializationFailure => new SerializationFailure(conflict('lost the race'));

onEachDatabase('a guarded write', {}, (world) => {
  const db = (): Db => world.cloud.firstRegion.database.db;
  const locks = (on = db()) => on<{ name: string; acquired: number }>('cumulet_locks');
  const rows = async (): Promise<unknown[]> =>
    locks().whereNot({ name: 'cumulet.retries' }).orderBy('name').select('name', 'acquired');

  beforeEach(async () => {
    await locks().delete();
    await locks().insert([
      { name: 'a', acquired: 1 },
      { name: 'b', acquired: 1 },
    ]);
  });

  it('commits if it changes the number of rows that it must', async () => {
    await transact(db(), async (trx) => {
      await guarded(locks(trx).whereIn('name', ['a', 'b']).update({ acquired: 2 }), lost, 2);
      await guarded(locks(trx).where({ name: 'a' }).update({ acquired: 2 }), lost, 1); // no change
      await guarded(locks(trx).where({ name: 'b' }).delete(), lost, 1);
      await guarded(locks(trx).insert({ name: 'c', acquired: 1 }), lost);
    });
    expect(await rows()).to.deep.equal([
      { name: 'a', acquired: 2 },
      { name: 'c', acquired: 1 },
    ]);
  });

  for (const [what, write] of [
    ['changes fewer rows', (on: Db) => guarded(locks(on).where({ name: 'x' }).delete(), lost, 1)],
    ['changes more rows', (on: Db) => guarded(locks(on).update({ acquired: 3 }), lost, 1)],
    [
      'inserts a duplicate',
      (on: Db) => guarded(locks(on).insert({ name: 'b', acquired: 1 }), lost),
    ],
  ] as const) {
    it(`rolls back the transaction and runs it again if it ${what}`, async () => {
      await transact(db(), async (trx, attempt) => {
        await guarded(locks(trx).where({ name: 'a' }).increment('acquired'), lost, 1);
        if (attempt < 3) await write(trx);
      });
      expect(await rows()).to.deep.equal([
        { name: 'a', acquired: 2 },
        { name: 'b', acquired: 1 },
      ]);
    });

    it(`throws its error after the last attempt if it ${what}`, async () => {
      const error: unknown = await transact(db(), write).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(SerializationFailure);
      expect((error as SerializationFailure).apiError.message).to.equal('lost the race');
    });

    it(`throws at once outside of a transaction if it ${what}`, async () => {
      const error: unknown = await write(db()).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(SerializationFailure);
    });
  }
});
