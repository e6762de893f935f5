// Tests of concurrent operations in a transaction, and of deferred writes.
import { expect } from 'chai';
import { isDuplicate } from '../../../src/kernel/db/errors.ts';
import { pipelined } from '../../../src/kernel/db/pipelined.ts';
import { deferred, transact } from '../../../src/kernel/db/transaction.ts';
import { badRequest, conflict } from '../../../src/kernel/errors.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import type { Db } from '../../../src/kernel/db/database.ts';

onEachDatabase('transactions', {}, (world) => {
  const db = (): Db => world.cloud.firstRegion.database.db;
  const locks = (on: Db) => on<{ name: string; acquired: number }>('cumulet_locks');
  const countOf = async (name: string, on = db()): Promise<number | undefined> =>
    (await locks(on).where({ name }).first('acquired'))?.acquired;

  beforeEach(() => locks(db()).delete());

  describe('pipelined operations', () => {
    it('return their results in order', async () => {
      await locks(db()).insert([
        { name: 'a', acquired: 1 },
        { name: 'b', acquired: 2 },
      ]);
      const counts = await transact(db(), (trx) =>
        pipelined([countOf('a', trx), countOf('c', trx), countOf('b', trx)]),
      );
      expect(counts).to.deep.equal([1, undefined, 2]);
    });

    it('throw the error of the first in the list, even if another fails earlier', async () => {
      const late = async (): Promise<never> => {
        await countOf('a');
        throw conflict('the first');
      };
      const both = [late(), Promise.reject(badRequest('the second'))];
      const failed = await pipelined(both).catch((error: Error) => error.message);
      expect(failed).to.equal('the first');
      expect((await Promise.allSettled(both)).map(({ status }) => status)).to.deep.equal([
        'rejected',
        'rejected',
      ]);
    });

    it('all end before an error is thrown, so that none uses an ended transaction', async () => {
      let isDone = false;
      const slow = async (trx: Db): Promise<void> => {
        for (let step = 0; step < 5; step++) await countOf('a', trx);
        isDone = true;
      };
      const refused = transact(db(), (trx) =>
        pipelined([Promise.reject(conflict('no')), slow(trx)]),
      );
      expect(await refused.catch((error: Error) => error.message)).to.equal('no');
      expect(isDone).to.equal(true);
    });
  });

  describe('a deferred write', () => {
    it('is seen by later reads, and committed', async () => {
      const seen = await transact(db(), async (trx) => {
        await deferred(locks(trx).insert({ name: 'a', acquired: 1 }));
        await deferred(locks(trx).where({ name: 'a' }).update({ acquired: 2 }));
        return countOf('a', trx);
      });
      expect([seen, await countOf('a')]).to.deep.equal([2, 2]);
      await transact(db(), (trx) =>
        deferred(locks(trx).where({ name: 'a' }).update({ acquired: 3 })),
      );
      expect(await countOf('a')).to.equal(3);
    });

    it('rolls its transaction back if it fails', async () => {
      await locks(db()).insert({ name: 'a', acquired: 1 });
      const failed = transact(db(), async (trx) => {
        await locks(trx).insert({ name: 'b', acquired: 1 });
        await deferred(locks(trx).insert({ name: 'a', acquired: 9 }));
      });
      expect(await failed.catch((error: unknown) => isDuplicate(error))).to.equal(true);
      expect([await countOf('a'), await countOf('b')]).to.deep.equal([1, undefined]);
    });

    it('rolls its transaction back even if its error is caught', async () => {
      await locks(db()).insert({ name: 'a', acquired: 1 });
      const failed = transact(db(), async (trx) => {
        await locks(trx).insert({ name: 'b', acquired: 1 });
        await deferred(locks(trx).insert({ name: 'a', acquired: 9 })).catch(() => undefined);
        await countOf('a', trx).catch(() => undefined);
        if (world.kind === 'sqlite') throw conflict('SQLite reports the error at once');
      });
      expect(await failed.catch((error: unknown) => error)).to.be.an('error');
      expect(await countOf('b')).to.equal(undefined);
    });

    it('is undone with a nested transaction, and kept in the outer one', async () => {
      await transact(db(), async (trx) => {
        await deferred(locks(trx).insert({ name: 'outer', acquired: 1 }));
        const inner = trx.transaction(async (nested) => {
          await deferred(locks(nested).insert({ name: 'inner', acquired: 1 }));
          throw conflict('no');
        });
        await inner.catch(() => undefined);
        await deferred(locks(trx).insert({ name: 'after', acquired: 1 }));
      });
      expect([
        await countOf('outer'),
        await countOf('inner'),
        await countOf('after'),
      ]).to.deep.equal([1, undefined, 1]);
    });

    it('is undone with its transaction', async () => {
      const refused = transact(db(), async (trx) => {
        await deferred(locks(trx).insert({ name: 'a', acquired: 1 }));
        throw conflict('no');
      });
      await refused.catch(() => undefined);
      expect(await countOf('a')).to.equal(undefined);
    });
  });
});
