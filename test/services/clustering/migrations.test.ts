// Tests the migration of credentials: existing records keep the credential of their owner.
import { expect } from 'chai';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusteringCredentials } from '../../../migrations/region/clustering-credentials.ts';
import { regionMigrations } from '../../../migrations/region/index.ts';
import { migrate } from '../../../src/kernel/db/schema/migrate.ts';
import { dropDatabase, openDatabase } from '../../../src/kernel/db/open.ts';
import { databases, kinds } from '../../support/databases.ts';

const before = regionMigrations.slice(0, regionMigrations.indexOf(clusteringCredentials));

/** A receiver as earlier versions stored it. */
const receiver = (id: string, user: string): object => ({
  id,
  name: id,
  user_id: user,
  project_id: 'demo',
  type: 'webhook',
  actor: '{}',
  params: '{}',
  channel: '{}',
});

for (const kind of kinds)
  describe(`the migration of Clustering's credentials [${kind}]`, () => {
    it('gives existing records the credential of their owner', async function () {
      const fresh = await databases.fresh(kind);
      if (!fresh) return this.skip();
      const folder = kind === 'sqlite' ? mkdtempSync(join(tmpdir(), 'cumulet-test-')) : undefined;
      const url = folder === undefined ? fresh : ({ kind: 'sqlite', folder } as const);
      const database = await openDatabase(url, '', before);
      try {
        const { db } = database;
        const roles = JSON.stringify(['member', 'reader']);
        const owned = { user_id: 'ann', project_id: 'demo', roles };
        await db('clustering_credentials').insert([
          { ...owned, trust_id: 'a'.repeat(32) },
          { ...owned, user_id: 'bob', trust_id: null },
        ]);
        await db('clustering_receivers').insert([
          receiver('1', 'ann'),
          receiver('2', 'bob'),
          receiver('3', 'eve'),
        ]);
        await migrate(database, [...before, clusteringCredentials]);
        const credentials = await db('clustering_credentials').orderBy('user_id');
        expect(credentials.map(({ user_id: user, trust_id: id }) => [user, id])).to.deep.equal([
          ['ann', 'a'.repeat(32)],
          ['bob', null],
        ]);
        expect(credentials[0].id).to.equal('a'.repeat(32));
        const receivers = await db('clustering_receivers').orderBy('id').pluck('credential_id');
        expect(receivers).to.deep.equal([credentials[0].id, credentials[1].id, null]);
      } finally {
        await database.db.destroy();
        await dropDatabase(url, '');
        if (folder !== undefined) rmSync(folder, { recursive: true });
      }
    });
  });
