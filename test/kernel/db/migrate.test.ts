// Tests of migrations: each runs once, in one of the processes that start at once.
import { expect } from 'chai';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeCloud, openCloud } from '../../../src/cloud.ts';
import { configOf } from '../../../src/config.ts';
import { migrate } from '../../../src/kernel/db/schema/migrate.ts';
import { dropDatabase, openDatabase } from '../../../src/kernel/db/open.ts';
import { tableNames } from '../../../src/kernel/db/state.ts';
import { databases, kinds } from '../../support/databases.ts';
import type { Migration, Database, DatabaseUrl } from '../../../src/kernel/db/database.ts';

const first: Migration = {
  name: 'one',
  up: (db) => db.schema.createTable('first', (table) => void table.integer('id')),
};
const second: Migration = {
  name: 'two',
  up: (db) => db.schema.createTable('second', (table) => void table.integer('id')),
};

for (const kind of kinds) {
  describe(`migrations [${kind}]`, function () {
    let url: DatabaseUrl;
    let folder: string | undefined;
    const opened: Database[] = [];

    beforeEach(async function () {
      const fresh = await databases.fresh(kind);
      if (!fresh) this.skip();
      folder = kind === 'sqlite' ? mkdtempSync(join(tmpdir(), 'cumulet-test-')) : undefined;
      url = folder === undefined ? fresh : { kind: 'sqlite', folder };
    });

    afterEach(async () => {
      for (const { db } of opened.splice(0)) await db.destroy();
      for (const part of ['', 'RegionOne']) await dropDatabase(url, part);
      if (folder !== undefined) rmSync(folder, { recursive: true });
    });

    const open = async (...migrations: Migration[]): Promise<Database> => {
      const database = await openDatabase(url, '', migrations);
      opened.push(database);
      return database;
    };

    it('run once each, in order', async () => {
      const database = await open(first);
      expect(await tableNames(database)).to.deep.equal(['cumulet_migrations', 'first']);
      await migrate(database, [first, second]);
      await migrate(database, [first, second]);
      expect(await tableNames(database)).to.deep.equal(['cumulet_migrations', 'first', 'second']);
      expect(await database.db('cumulet_migrations').orderBy('name').pluck('name')).to.deep.equal([
        'one',
        'two',
      ]);
    });

    it('run again at the next start if they fail', async () => {
      const broken: Migration = { name: 'two', up: () => Promise.reject(new Error('no space')) };
      const error = await open(first, broken).catch((thrown: Error) => thrown.message);
      expect(error).to.equal('no space');
      expect(await tableNames(await open(first, second))).to.include.members(['first', 'second']);
    });

    it('refuse a database that a newer version has written, and name that version', async () => {
      const database = await open(first, second);
      const before = await database.db('cumulet_migrations').orderBy('name');
      const refusal = (): Promise<string> =>
        open(first).then(
          () => 'none',
          (error: Error) => error.message,
        );
      expect(await refusal()).to.match(
        /^The database central was written by cumulet \S+: it has the migration 'two', which this cumulet \S+ does not know. Use cumulet \S+ or newer, or choose another database with --database. Nothing was changed.$/,
      );
      await database.db('cumulet_migrations').where({ name: 'two' }).update({ version: '9.10.0' });
      expect(await refusal()).to.match(/written by cumulet 9.10.0: .* Use cumulet 9.10.0 or newer/);
      await database.db('cumulet_migrations').update({ version: null });
      expect(await refusal()).to.match(/written by a newer cumulet: .* Use that version, or/);
      expect(await database.db('cumulet_migrations').orderBy('name')).to.deep.equal(
        before.map((row: object) => ({ ...row, version: null })),
      );
    });

    it('add the column of versions to a database that lacks it', async () => {
      const database = await open(first);
      await database.db.schema.alterTable('cumulet_migrations', (one) => one.dropColumn('version'));
      await migrate(database, [first]);
      await migrate(database, [first, second]);
      const versions = await database.db('cumulet_migrations').orderBy('name').pluck('version');
      expect(versions[0]).to.equal(null);
      expect(versions[1]).to.match(/^\d/);
    });

    if (kind === 'mysql') {
      // Within one process, two writers of a SQLite file would wait for each other.
      // commands.test.ts covers two processes.
      it('run once if several clouds open the same empty database', async () => {
        let runs = 0;
        const counted: Migration = { name: 'one', up: (db) => (runs++, first.up(db)) };
        const all = await Promise.all([open(counted), open(counted), open(counted)]);
        expect(runs).to.equal(1);
        for (const database of all)
          expect(await tableNames(database)).to.deep.equal(['cumulet_migrations', 'first']);
      });

      it('and seeding succeed for three clouds at once', async () => {
        const config = configOf({ database: url, logLevel: 'silent' });
        const clouds = await Promise.all([openCloud(config), openCloud(config), openCloud(config)]);
        const users = await clouds[0]!.central.db('identity_users').orderBy('name').pluck('name');
        await Promise.all(clouds.map(closeCloud));
        expect(users).to.deep.equal(['admin', 'demo']);
      });
    }

    it('create tables that distinguish case and trailing spaces', async () => {
      const names: Migration = {
        name: 'names',
        up: (db) =>
          db.schema.createTable('names', (table) => void table.string('name', 50).primary()),
      };
      const { db } = await open(names);
      await db('names').insert(['a', 'A', 'a ', 'ä', 'a\u0301'].map((name) => ({ name })));
      expect(await db('names').where({ name: 'a' }).pluck('name')).to.deep.equal(['a']);
    });
  });
}
