// Tests of new SQLite databases, which a script creates in place of the migrations.
import { expect } from 'chai';
import { centralMigrations } from '../../../migrations/central/index.ts';
import { regionMigrations } from '../../../migrations/region/index.ts';
import type { Database, Migration } from '../../../src/kernel/db/database.ts';
import { openDatabase } from '../../../src/kernel/db/open.ts';

const memory = { kind: 'memory' } as const;

describe('the schema of a new SQLite database', () => {
  const opened: Database[] = [];
  const open = async (migrations: readonly Migration[]): Promise<Database> => {
    const database = await openDatabase(memory, '', migrations);
    opened.push(database);
    return database;
  };
  afterEach(async () => {
    for (const { db } of opened.splice(0)) await db.destroy();
  });
  const schemaOf = ({ db }: Database): Promise<unknown> =>
    db('sqlite_master')
      .select('type', 'name', 'sql')
      .whereNot('tbl_name', 'cumulet_migrations')
      .orderBy('rowid');

  for (const [name, migrations] of [
    ['the central database', centralMigrations],
    ['a region', regionMigrations],
  ] as const)
    it(`is what the migrations create for ${name}`, async () => {
      const migrated = await open([]);
      for (const migration of migrations) await migration.up(migrated.db);
      expect(await schemaOf(await open(migrations))).to.deep.equal(await schemaOf(migrated));
    });

  it('is recorded as that of all migrations', async () => {
    const { db } = await open(regionMigrations);
    expect(await db('cumulet_migrations').orderBy('rowid').pluck('name')).to.deep.equal(
      regionMigrations.map(({ name }) => name),
    );
  });
});
