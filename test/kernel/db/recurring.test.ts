// Tests of statements that are compiled once, on each database.
import { expect } from 'chai';
import type { Db } from '../../../src/kernel/db/database.ts';
import { insertRow, Recurring } from '../../../src/kernel/db/drivers/recurring.ts';
import { onEachDatabase } from '../../support/cloud.ts';

interface Row {
  readonly id: number;
  readonly name: string | null;
  readonly size: number | null;
}

onEachDatabase('statements that recur', {}, (world) => {
  let db: Db;
  const recurring = new Recurring();
  const rows = async (): Promise<Row[]> => db<Row>('recurring_rows').orderBy('id').select('*');

  beforeEach(async () => {
    db = world.cloud.firstRegion.database.db;
    await db.schema.createTable('recurring_rows', (table) => {
      table.integer('id').primary();
      table.string('name', 20);
      table.integer('size');
    });
    for (const [id, name] of ['a', 'b', 'value 0'].entries())
      await insertRow(db, 'recurring_rows', { id, name, size: id * 10 });
  });

  afterEach(async () => db.schema.dropTable('recurring_rows'));

  it('insert rows whose columns are given in any order, and nulls', async () => {
    await insertRow(db, 'recurring_rows', { size: 7, id: 3, name: null });
    await insertRow(db, 'recurring_rows', { size: null, id: 4, name: 'e' });
    expect((await rows()).slice(3)).to.deep.equal([
      { id: 3, name: null, size: 7 },
      { id: 4, name: 'e', size: null },
    ]);
  });

  it('find other rows with other values, and keep what is always the same', async () => {
    const named = (name: string, size: number) =>
      recurring.statement<Row[]>(db, 'named', [name, size], ([wanted, least]) =>
        db('recurring_rows')
          .where('size', '<', 100)
          .where({ name: wanted })
          .where('size', '>=', least!)
          .limit(1),
      );
    expect(await named('a', 0)).to.deep.equal([{ id: 0, name: 'a', size: 0 }]);
    expect(await named('value 0', 20)).to.deep.equal([{ id: 2, name: 'value 0', size: 20 }]);
    expect(await named('a', 1)).to.deep.equal([]);
  });

  it('use a value in several places', async () => {
    const either = (value: number) =>
      recurring.statement<Row[]>(db, 'either', [value], ([wanted]) =>
        db('recurring_rows').where({ id: wanted }).orWhere({ size: wanted }).orderBy('id'),
      );
    expect((await either(0)).map(({ id }) => id)).to.deep.equal([0]);
    expect((await either(10)).map(({ id }) => id)).to.deep.equal([1]);
  });

  it('run in the transaction that they are built for', async () => {
    const failed = db.transaction(async (trx) => {
      await insertRow(trx, 'recurring_rows', { id: 9, name: 'z', size: 0 });
      throw new Error('rolled back');
    });
    expect(await failed.catch((error: Error) => error.message)).to.equal('rolled back');
    expect(await rows()).to.have.length(3);
  });

  it('are right in more forms than are kept', async () => {
    for (let form = 0; form < 600; form++) {
      const found = await recurring.statement<Row[]>(db, `form ${form}`, [form % 3], ([id]) =>
        db('recurring_rows').where({ id }).where('size', '>', -form),
      );
      expect(found.map(({ id }) => id)).to.deep.equal(
        [0, 1, 2].filter((id) => id === form % 3 && (form || id)),
      );
    }
  });
});
