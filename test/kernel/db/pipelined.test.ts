// Tests of asking for several things at once, and of writes that are sent along with what comes
// next.
import { expect } from 'chai';
import { isDuplicate } from '../../../src/kernel/db/errors.ts';
import { pipelined } from '../../../src/kernel/db/pipelined.ts';
import { deferred, transact } from '../../../src/kernel/db/transaction.ts';
import { badRequest, conflict } from '../../../src/kernel/errors.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import type { Db } from '../../../src/kernel/db/database.ts';

onEachDatabase('what is asked together', {}, (world) => {
  const db = (): Db => world.cloud.firstRegion.database.db;
  const locks = (on: Db) => on<{ name: string; acquired: number }>('cumulet_locks');
  const turnOf = async (name: string, on = db()): Promise<number | undefined> =>
    (await locks(on).where({ name }).first('acquired'))?.acquired;

  beforeEach(() => locks(db()).delete());

  it('gives each its answer', async () => {
    await locks(db()).insert([
      { name: 'a', acquired: 1 },
      { name: 'b', acquired: 2 },
    ]);
    const answers = await transact(db(), (trx) =>
      pipelined([turnOf('a', trx), turnOf('c', trx), turnOf('b', trx)]),
    );
    expect(answers.map((answer) => answer())).to.deep.equal([1, undefined, 2]);
  });

  it('is refused in the order in which the answers are asked for', async () => {
    const late = async (): Promise<never> => {
      await turnOf('a');
      throw conflict('the first');
    };
    const [first, second] = await pipelined([late(), Promise.reject(badRequest('the second'))]);
    expect(first).to.throw('the first');
    expect(second).to.throw('the second');
  });

  it('waits for all of it, so that nothing is asked of a transaction that has ended', async () => {
    let isDone = false;
    const slow = async (trx: Db): Promise<void> => {
      for (let step = 0; step < 5; step++) await turnOf('a', trx);
      isDone = true;
    };
    const refused = transact(db(), async (trx) => {
      const [refusal] = await pipelined([Promise.reject(conflict('no')), slow(trx)]);
      refusal();
    });
    expect(await refused.catch((error: Error) => error.message)).to.equal('no');
    expect(isDone).to.equal(true);
  });

  it('may be a write that goes along: later reads see it, and it is committed', async () => {
    const seen = await transact(db(), async (trx) => {
      await deferred(locks(trx).insert({ name: 'a', acquired: 1 }));
      await deferred(locks(trx).where({ name: 'a' }).update({ acquired: 2 }));
      return turnOf('a', trx);
    });
    expect([seen, await turnOf('a')]).to.deep.equal([2, 2]);
    await transact(db(), (trx) =>
      deferred(locks(trx).where({ name: 'a' }).update({ acquired: 3 })),
    );
    expect(await turnOf('a')).to.equal(3);
  });

  it('leaves nothing where a write that goes along fails', async () => {
    await locks(db()).insert({ name: 'a', acquired: 1 });
    const failed = transact(db(), async (trx) => {
      await locks(trx).insert({ name: 'b', acquired: 1 });
      await deferred(locks(trx).insert({ name: 'a', acquired: 9 }));
    });
    expect(await failed.catch((error: unknown) => isDuplicate(error))).to.equal(true);
    expect([await turnOf('a'), await turnOf('b')]).to.deep.equal([1, undefined]);
  });

  it('leaves nothing either where that is caught', async () => {
    await locks(db()).insert({ name: 'a', acquired: 1 });
    const failed = transact(db(), async (trx) => {
      await locks(trx).insert({ name: 'b', acquired: 1 });
      await deferred(locks(trx).insert({ name: 'a', acquired: 9 })).catch(() => undefined);
      await turnOf('a', trx).catch(() => undefined);
      if (world.kind === 'sqlite') throw conflict('it knows at once');
    });
    expect(await failed.catch((error: unknown) => error)).to.be.an('error');
    expect(await turnOf('b')).to.equal(undefined);
  });

  it('leaves nothing of a nested transaction that fails, and all of the one around it', async () => {
    await transact(db(), async (trx) => {
      await deferred(locks(trx).insert({ name: 'outer', acquired: 1 }));
      const inner = trx.transaction(async (nested) => {
        await deferred(locks(nested).insert({ name: 'inner', acquired: 1 }));
        throw conflict('no');
      });
      await inner.catch(() => undefined);
      await deferred(locks(trx).insert({ name: 'after', acquired: 1 }));
    });
    expect([await turnOf('outer'), await turnOf('inner'), await turnOf('after')]).to.deep.equal([
      1,
      undefined,
      1,
    ]);
  });

  it('leaves nothing of a transaction that is refused', async () => {
    const refused = transact(db(), async (trx) => {
      await deferred(locks(trx).insert({ name: 'a', acquired: 1 }));
      throw conflict('no');
    });
    await refused.catch(() => undefined);
    expect(await turnOf('a')).to.equal(undefined);
  });
});
