// Tests of long sequences of statements on SQLite, which is synchronous: other requests run in
// between.
import { expect } from 'chai';
import { transact } from '../../../src/kernel/db/transaction.ts';
import { onEachDatabase } from '../../support/cloud.ts';

onEachDatabase('a long sequence of statements', { auth: 'noauth2' }, (world) => {
  it('yields to the event loop', async () => {
    let isDone = false;
    let turns = 0;
    const turn = (): void => {
      turns++;
      if (!isDone) setImmediate(turn);
    };
    setImmediate(turn);
    const before = Date.now();
    await transact(world.cloud.firstRegion.database.db, async (db) => {
      while (Date.now() - before < 200) await db('jobs').first('id');
    });
    isDone = true;
    expect(turns).to.be.greaterThan(2);
  });
});
