// Tests of the watch on revisions that all other tests are under (support/revisions.ts).
import { expect } from 'chai';
import { regionMigrations } from '../../migrations/region/index.ts';
import type { Database, Db } from '../../src/kernel/db/database.ts';
import { changeAllRevisions } from '../../src/kernel/db/kept/revisions.ts';
import { openDatabase } from '../../src/kernel/db/open.ts';
import { transact } from '../../src/kernel/db/transaction.ts';
import { hostsChange } from '../../src/services/compute/store/hosts/revision.ts';
import { providerChange } from '../../src/services/placement/store/trees-revision.ts';
import { watchRevisions } from '../support/revisions.ts';

describe('the watch on revisions', () => {
  let database: Database;
  let problems: string[];

  before(async () => {
    database = await openDatabase({ kind: 'memory' }, 'watched', regionMigrations);
    watchRevisions(database.db, (problems = []));
  });
  beforeEach(() => void (problems.length = 0));
  after(() => database.db.destroy());

  const write = (
    table: string,
    fields: Readonly<Record<string, unknown>>,
    before: (trx: Db) => void = () => {},
  ): Promise<void> =>
    transact(database.db, async (trx) => {
      before(trx);
      await trx(table).where({ id: 1 }).update(fields);
    });

  it('reports a transaction that writes to hosts or providers without a new revision', async () => {
    await write('compute_services', { disabled: 1 });
    await write('placement_providers', { name: 'x' });
    expect(problems).to.deep.equal([
      'A transaction writes compute_services without a new revision of compute.hosts.',
      'A transaction writes placement_providers without a new revision of placement.trees.',
    ]);
  });

  it('reports nothing if the transaction gives the tables a new revision', async () => {
    await write('compute_services', { disabled: 1 }, hostsChange);
    await write('placement_providers', { name: 'x' }, (trx) => providerChange(trx, 40));
    await write('placement_providers', { name: 'x' }, changeAllRevisions);
    expect(problems).to.deep.equal([]);
  });

  it('reports the revision of other tables', async () => {
    await write('compute_services', { disabled: 1 }, (trx) => providerChange(trx, 1));
    expect(problems).to.have.length(1);
  });

  it('reports nothing if the transaction rolls back', async () => {
    const failed = transact(database.db, async (trx) => {
      await trx('compute_services').update({ disabled: 1 });
      throw new Error('no');
    });
    await failed.catch(() => undefined);
    expect(problems).to.deep.equal([]);
  });

  it('ignores the columns that nothing in memory depends on', async () => {
    await write('placement_providers', { generation: 2, updated_at: 3 });
    expect(problems).to.deep.equal([]);
  });
});
