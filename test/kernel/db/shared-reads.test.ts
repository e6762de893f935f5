// Tests of reads by key that requests share, on each database.
import { expect } from 'chai';
import type { Db } from '../../../src/kernel/db/database.ts';
import { SharedReads } from '../../../src/kernel/db/shared-reads.ts';
import { transact } from '../../../src/kernel/db/transaction.ts';
import { onEachDatabase } from '../../support/cloud.ts';

interface Row {
  readonly id: number;
  readonly name: string;
}

onEachDatabase('reads that share a statement', {}, (world) => {
  let db: Db;
  let asked: (readonly number[])[];
  const names = new SharedReads<number, string>(async (used, ids) => {
    asked.push(ids);
    const rows = (await used('shared_rows').whereIn('id', ids).select('id', 'name')) as Row[];
    return new Map(rows.map(({ id, name }) => [id, name]));
  });

  beforeEach(async () => {
    db = world.cloud.firstRegion.database.db;
    await db.schema.createTable('shared_rows', (table) => {
      table.integer('id').primary();
      table.string('name', 20);
    });
    await db('shared_rows').insert([1, 2, 3].map((id) => ({ id, name: `row ${id}` })));
    asked = [];
  });

  afterEach(async () => db.schema.dropTable('shared_rows'));

  it('find for each caller what it asked for, or nothing, with one statement', async () => {
    const found = await Promise.all([3, 9, 1, 3].map((id) => names.find(db, id)));
    expect(found).to.deep.equal(['row 3', undefined, 'row 1', 'row 3']);
    expect(asked).to.deep.equal([[3, 9, 1]]);
  });

  it('share the next statement if one is running, and see what was written meanwhile', async () => {
    const first = names.find(db, 1);
    while (!asked.length) await new Promise(setImmediate);
    await db('shared_rows').where({ id: 1 }).update({ name: 'renamed' });
    const later = [1, 2].map((id) => names.find(db, id));
    expect(await first).to.be.oneOf(['row 1', 'renamed']);
    expect(await Promise.all(later)).to.deep.equal(['renamed', 'row 2']);
    expect(asked).to.deep.equal([[1], [1, 2]]);
  });

  it('see what their own transaction has written, which no other reads do', async () => {
    await transact(db, async (trx) => {
      await trx('shared_rows').where({ id: 2 }).update({ name: 'uncommitted' });
      expect(await names.find(trx, 2)).to.equal('uncommitted');
      if (world.cloud.firstRegion.database.kind === 'mysql')
        expect(await names.find(db, 2)).to.equal('row 2');
    });
    expect(await names.find(db, 2)).to.equal('uncommitted');
  });

  it('use several statements for many keys', async () => {
    const ids = Array.from({ length: 50 }, (_, index) => index + 1);
    const found = await Promise.all(ids.map((id) => names.find(db, id)));
    expect(found.filter((name) => name !== undefined)).to.deep.equal(['row 1', 'row 2', 'row 3']);
    expect(asked.map(({ length }) => length)).to.deep.equal([20, 20, 10]);
  });

  it('fail together, and read again afterwards', async () => {
    await db.schema.renameTable('shared_rows', 'moved_rows');
    const failed = await Promise.allSettled([1, 2].map((id) => names.find(db, id)));
    expect(failed.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    await db.schema.renameTable('moved_rows', 'shared_rows');
    expect(await names.find(db, 1)).to.equal('row 1');
  });
});
