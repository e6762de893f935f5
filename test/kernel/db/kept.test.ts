// Tests of values that are kept in memory by the revision of their tables.
import { expect } from 'chai';
import type { Db } from '../../../src/kernel/db/database.ts';
import { Kept, KeptInParts } from '../../../src/kernel/db/kept/kept.ts';
import { changeAllRevisions, changeRevision } from '../../../src/kernel/db/kept/revisions.ts';
import { transact } from '../../../src/kernel/db/transaction.ts';
import { onEachDatabase } from '../../support/cloud.ts';

onEachDatabase('a kept value', {}, (world) => {
  const db = (): Db => world.cloud.firstRegion.database.db;
  let loads: number[][];
  let number = 0;

  beforeEach(() => {
    loads = [];
    number++;
  });

  /** A value of three parts, each of which says how often it has been loaded. */
  const keptParts = (): KeptInParts<number, readonly number[]> =>
    new KeptInParts({
      revision: `test.${number}`,
      count: 3,
      load: async (_, parts) => {
        loads.push([...parts]);
        return parts.map(() => loads.length);
      },
      combine: (parts) => parts,
    });
  const change = (part?: number): Promise<void> =>
    transact(db(), async (trx) => changeRevision(trx, `test.${number}`, part));

  it('is loaded once for transactions that see the same revision', async () => {
    const kept = keptParts();
    for (let read = 0; read < 3; read++)
      expect(await transact(db(), (trx) => kept.read(trx))).to.deep.equal([1, 1, 1]);
    expect(loads).to.deep.equal([[0, 1, 2]]);
  });

  it('loads only the parts that have a new revision', async () => {
    const kept = keptParts();
    await transact(db(), (trx) => kept.read(trx));
    await change(1);
    expect(await transact(db(), (trx) => kept.read(trx))).to.deep.equal([1, 2, 1]);
    await change();
    expect(await transact(db(), (trx) => kept.read(trx))).to.deep.equal([3, 3, 3]);
    expect(loads).to.deep.equal([[0, 1, 2], [1], [0, 1, 2]]);
  });

  it('is loaded again after all tables of the database have been replaced', async () => {
    const kept = keptParts();
    await transact(db(), (trx) => kept.read(trx));
    await transact(db(), async (trx) => changeAllRevisions(trx));
    expect(await transact(db(), (trx) => kept.read(trx))).to.deep.equal([2, 2, 2]);
  });

  it('is not kept by a transaction that has written to the tables itself', async () => {
    const kept = keptParts();
    await transact(db(), (trx) => kept.read(trx));
    await transact(db(), async (trx) => {
      changeRevision(trx, `test.${number}`, 2);
      expect(await kept.read(trx)).to.deep.equal([1, 1, 2]);
      expect(await kept.read(trx)).to.deep.equal([1, 1, 3]);
    });
    expect(await transact(db(), (trx) => kept.read(trx))).to.deep.equal([1, 1, 4]);
  });

  it('stays valid after a transaction that rolls back', async () => {
    const kept = keptParts();
    await transact(db(), (trx) => kept.read(trx));
    const failed = transact(db(), async (trx) => {
      changeRevision(trx, `test.${number}`);
      await kept.read(trx);
      throw new Error('no');
    });
    expect(await failed.catch((error: Error) => error.message)).to.equal('no');
    expect(await transact(db(), (trx) => kept.read(trx))).to.deep.equal([1, 1, 1]);
  });

  it('has a new revision if only a savepoint has written and is rolled back', async () => {
    const kept = keptParts();
    await transact(db(), async (trx) => {
      await trx
        .transaction(async (inner) => {
          changeRevision(inner, `test.${number}`);
          throw new Error('no');
        })
        .catch(() => undefined);
    });
    await transact(db(), (trx) => kept.read(trx));
    expect(loads).to.deep.equal([[0, 1, 2]]);
  });

  it('is loaded by every reader outside of a transaction', async () => {
    const kept = new Kept(`test.${number}`, async () => loads.push([]));
    expect([await kept.read(db()), await kept.read(db())]).to.deep.equal([1, 2]);
  });

  it('cannot be changed outside of a transaction', () => {
    expect(() => changeRevision(db(), 'test')).to.throw('needs a transaction of transact()');
  });
});
