// Tests of long statements, and of long sequences of statements on SQLite, which is synchronous:
// other requests run in between.
import { expect } from 'chai';
import type { Db } from '../../../src/kernel/db/database.ts';
import { isDuplicate, isOutOfRange } from '../../../src/kernel/db/errors.ts';
import { packetsOf } from '../../../src/kernel/db/drivers/mysql-packets.ts';
import { deferred, transact } from '../../../src/kernel/db/transaction.ts';
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

onEachDatabase('a long statement', { auth: 'noauth2' }, (world) => {
  const database = (): Db => world.cloud.firstRegion.database.db;
  const locks = (db: Db) => db('cumulet_locks');
  const rowsOf = (count: number, acquired = 1): { name: string; acquired: number }[] =>
    Array.from({ length: count }, (_, index) => ({ name: `long-${index}`, acquired }));
  /** The number of locks, and the sum of what they have acquired. */
  async function stored(): Promise<unknown[]> {
    const [row] = (await locks(database())
      .where('name', 'like', 'long-%')
      .select(database().raw('count(*) as size, sum(acquired) as sum'))) as object[];
    return Object.values(row!).map(Number);
  }

  afterEach(() => locks(database()).where('name', 'like', 'long-%').delete());

  it('inserts any number of rows', async () => {
    await locks(database()).insert(rowsOf(501));
    expect(await stored()).to.deep.equal([501, 501]);
  });

  it('inserts more values than SQLite takes in a statement, in a transaction', async () => {
    await transact(database(), async (db) => void (await locks(db).insert(rowsOf(40_000))));
    expect(await stored()).to.deep.equal([40_000, 40_000]);
  });

  it('inserts no row if one of the last is a duplicate, and the transaction goes on', async () => {
    const rows = rowsOf(20_000);
    await transact(database(), async (db) => {
      await locks(db).insert(rows[1]!);
      const error = await locks(db)
        .insert([...rows.slice(2), rows[2]!])
        .catch((thrown: unknown) => thrown);
      expect(isDuplicate(error)).to.equal(true);
      await locks(db).insert(rows[0]!);
    });
    expect(await stored()).to.deep.equal([2, 2]);
  });

  it('updates or ignores the rows that exist', async () => {
    await locks(database()).insert(rowsOf(20_000));
    await locks(database()).insert(rowsOf(20_001, 2)).onConflict('name').ignore();
    expect(await stored()).to.deep.equal([20_001, 20_002]);
    await locks(database()).insert(rowsOf(20_001, 3)).onConflict('name').merge(['acquired']);
    expect(await stored()).to.deep.equal([20_001, 60_003]);
    await locks(database()).insert(rowsOf(20_001, 4)).onConflict('name').merge();
    expect(await stored()).to.deep.equal([20_001, 80_004]);
  });

  it('finds rows by any number of values, and by any number of pairs', async () => {
    const rows = rowsOf(40_000);
    await locks(database()).insert(rows.slice(0, 3));
    const names = rows.slice(1).map(({ name }) => name);
    const pairs = rows.slice(2).map(({ name, acquired }) => [name, acquired]);
    const find = (column: 'name' | ('name' | 'acquired')[], values: unknown[]) =>
      locks(database())
        .whereIn(column as 'name', values as string[])
        .orderBy('name')
        .pluck('name');
    expect(await find('name', names)).to.deep.equal(['long-1', 'long-2']);
    expect(await find(['name', 'acquired'], pairs)).to.deep.equal(['long-2']);
    const others = await locks(database())
      .whereNotIn('name', names)
      .andWhere('name', 'like', 'long-%')
      .pluck('name');
    expect(others).to.deep.equal(['long-0']);
    const sums = Array.from({ length: 2000 }, (_, index) => index);
    expect(await locks(database()).whereIn('acquired', sums).pluck('name')).to.include('long-0');
  });

  it('does not stop deferred writes that exceed a packet of MySQL together', async () => {
    const name = 'x'.repeat(200);
    const rows = Array.from({ length: 1000 }, (_, index) => ({
      name: `long-${index}`,
      acquired: 1,
    }));
    await transact(database(), async (db) => {
      // 40 statements of 0.5 MB: the default of MariaDB is 16 MB
      for (let at = 0; at < 40; at++)
        await deferred(
          locks(db)
            .insert(rows.slice(at, at + 1))
            .onConflict('name')
            .merge({ acquired: db.raw(`length(?)`, [name.repeat(2500)]) }),
        );
    });
    expect(await stored()).to.deep.equal([40, 40]);
  });
});

describe('the packets of MySQL', () => {
  const limits = { bytes: 8, statements: Infinity };

  it('hold as many statements as the limits allow, in order', () => {
    expect(packetsOf(['aa', 'bb', 'cccc', 'd'], limits)).to.deep.equal([
      ['aa', 'bb'],
      ['cccc'],
      ['d'],
    ]);
    expect(packetsOf(['aa', 'bb'], { bytes: 8, statements: 1 })).to.deep.equal([['aa'], ['bb']]);
  });

  it('refuse a statement that is larger, by its bytes', () => {
    expect(packetsOf(['a'.repeat(6)], limits)).to.have.length(1);
    const refused = (): unknown => packetsOf(['ä'.repeat(6)], limits);
    let error: unknown;
    try {
      refused();
    } catch (thrown) {
      error = thrown;
    }
    expect(isOutOfRange(error)).to.equal(true);
  });
});
