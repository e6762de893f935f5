// Tests of long work on SQLite, which answers at once: others are served in between.
import { expect } from 'chai';
import { transact } from '../../../src/kernel/db/transaction.ts';
import { onEachDatabase } from '../../support/cloud.ts';

onEachDatabase('long work', { auth: 'noauth2' }, (world) => {
  it('lets the event loop turn while it asks the database again and again', async () => {
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
