// Tests of the mapper between tables and records, on each database.
import { expect } from 'chai';
import {
  binary,
  boolean,
  integer,
  json,
  micros,
  named,
  nullable,
  nullAsEmpty,
  real,
  text,
  textOf,
} from '../../../src/kernel/db/columns.ts';
import type { Db } from '../../../src/kernel/db/database.ts';
import { SerializationFailure, isDuplicate } from '../../../src/kernel/db/errors.ts';
import { RevisionTable } from '../../../src/kernel/db/revision-table.ts';
import { Table, type RecordOf } from '../../../src/kernel/db/table.ts';
import { deferred } from '../../../src/kernel/db/transaction.ts';
import { conflict } from '../../../src/kernel/errors.ts';
import { onEachDatabase } from '../../support/cloud.ts';

interface Disk {
  readonly id: string;
  readonly ownerId: string | null;
  readonly status: 'free' | 'used';
  readonly size: number | null;
  readonly ratio: number;
  readonly isPublic: boolean;
  readonly isLocked: boolean | null;
  readonly tags: readonly string[];
  readonly spec: { readonly kind: string } | null;
  readonly bytes: Uint8Array;
  readonly 'os:hash': string | null;
  readonly typeId: number;
  readonly typeName: string;
  readonly revision: number;
  readonly createdAt: number;
  readonly deletedAt: number | null;
}

const types = new Table(
  'table_types',
  { id: integer, name: text, isDefault: nullable(boolean) },
  { generated: 'id' },
);
const disks = new RevisionTable<Disk>(
  'table_disks',
  {
    id: text,
    ownerId: nullAsEmpty,
    status: textOf(['free', 'used']),
    size: nullable(integer),
    ratio: real,
    isPublic: boolean,
    isLocked: nullable(boolean),
    tags: json(),
    spec: nullable(json()),
    bytes: binary,
    'os:hash': named('hash_value', nullable(text)),
    typeId: integer,
    typeName: named('table_types.name', text),
    revision: integer,
    createdAt: micros,
    deletedAt: nullable(micros),
  },
  {
    revision: 'revision',
    join: (query) => void query.join('table_types', 'table_types.id', 'table_disks.type_id'),
    derived: ({ status }) => (status === undefined ? {} : { in_use: status === 'used' ? 1 : null }),
  },
);
const grants = new Table(
  'table_grants',
  { diskId: text, userId: text, rights: text, note: text },
  { key: ['diskId', 'userId'] },
);

const disk = (id: string, changes: Partial<Disk> = {}): Disk => ({
  id,
  ownerId: null,
  status: 'free',
  size: null,
  ratio: 1.5,
  isPublic: false,
  isLocked: null,
  tags: [],
  spec: null,
  bytes: Buffer.from([0, 255]),
  'os:hash': null,
  typeId: 1,
  typeName: 'fast',
  revision: 0,
  createdAt: 1_700_000_000_123_456,
  deletedAt: null,
  ...changes,
});
const number = (index: number): string => String(index).padStart(4, '0');
const stale = () => conflict('The disk was changed by another request.');
const thrownBy = async (query: PromiseLike<unknown>): Promise<unknown> =>
  query.then(
    () => undefined,
    (error: unknown) => error,
  );

onEachDatabase('tables', {}, (world) => {
  let db: Db;

  beforeEach(async () => {
    db = world.cloud.firstRegion.database.db;
    await db.schema.createTable('table_types', (table) => {
      table.increments('id');
      table.string('name', 20).notNullable();
      table.integer('is_default');
    });
    await db.schema.createTable('table_disks', (table) => {
      table.string('id', 10).primary();
      table.string('owner_id', 10).notNullable();
      table.string('status', 10).notNullable();
      table.integer('in_use').unique();
      table.bigInteger('size');
      table.double('ratio').notNullable();
      table.integer('is_public').notNullable();
      table.integer('is_locked');
      table.text('tags').notNullable();
      table.text('spec');
      table.binary('bytes').notNullable();
      table.string('hash_value', 10);
      table.integer('type_id').notNullable();
      table.integer('revision').notNullable();
      table.bigInteger('created_at').notNullable();
      table.bigInteger('deleted_at');
    });
    await db.schema.createTable('table_grants', (table) => {
      table.string('disk_id', 10).notNullable();
      table.string('user_id', 10).notNullable();
      table.string('rights', 10).notNullable();
      table.string('note', 10).notNullable();
      table.primary(['disk_id', 'user_id']);
    });
    await types.insertAll(db, [
      { name: 'fast', isDefault: true },
      { name: 'slow', isDefault: null },
    ]);
  });
  afterEach(async () => {
    for (const name of ['table_types', 'table_disks', 'table_grants'])
      await db.schema.dropTableIfExists(name);
  });

  const ids = (records: readonly Disk[]): string[] => records.map(({ id }) => id);
  const find = async (id: string): Promise<Disk> => (await disks.find(db, { id }))!;

  describe('insert and find', () => {
    it('return a record of every kind of column as it was inserted', async () => {
      const full = disk('a', {
        ownerId: 'o',
        status: 'used',
        size: 2 ** 40,
        isPublic: true,
        isLocked: false,
        tags: ['x'],
        spec: { kind: 'k' },
        'os:hash': 'h',
        typeId: 2,
        typeName: 'slow',
        deletedAt: 5,
      });
      await disks.insertAll(db, [full, disk('b')]);
      for (const record of [full, disk('b')]) {
        const found = await find(record.id);
        expect([...found.bytes]).to.deep.equal([...record.bytes]);
        expect({ ...found, bytes: record.bytes }).to.deep.equal(record);
      }
    });

    it('store null as an empty text in a column that says so', async () => {
      await disks.insert(db, disk('a'));
      expect(await db('table_disks').pluck('owner_id')).to.deep.equal(['']);
    });

    it('ignore fields of a record that are not columns', async () => {
      const withMetadata = { ...disk('a'), metadata: { some: 'thing' } };
      await disks.insert(db, withMetadata);
      expect(await find('a')).not.to.have.property('metadata');
    });

    it('resolve to the id that the database generates', async () => {
      const inserted: number[] = await types.insert(db, { name: 'new', isDefault: false });
      const found: RecordOf<typeof types> | undefined = await types.find(db, { name: 'new' });
      expect(found).to.deep.equal({ id: 3, name: 'new', isDefault: false });
      expect(inserted).to.deep.equal([3]);
    });

    it('find nothing if a value or a further condition does not match', async () => {
      await disks.insert(db, disk('a'));
      expect(await disks.find(db, { id: 'b' })).to.equal(undefined);
      expect(
        await disks.find(db, { id: 'a' }, [(query) => void query.where('ratio', '>', 2)]),
      ).to.equal(undefined);
      expect(await disks.exists(db, { id: 'b' })).to.equal(false);
      expect(await disks.exists(db, { id: 'a', ownerId: null })).to.equal(true);
    });

    it('pass the error of the driver through if the key is taken', async () => {
      await disks.insert(db, disk('a'));
      expect(await thrownBy(disks.insert(db, disk('a')))).to.satisfy(isDuplicate);
    });
  });

  describe('insertAll, ensure and upsert', () => {
    it('insert more records than fit into one statement', async () => {
      await disks.insertAll(
        db,
        Array.from({ length: 250 }, (_, index) => disk(number(index))),
      );
      expect(await disks.count(db)).to.equal(250);
    });

    it('insert nothing if there are no records', async () => {
      await disks.insertAll(db, []);
      await disks.ensure(db, []);
      await disks.upsert(db, []);
      expect(await disks.count(db)).to.equal(0);
    });

    const first = { diskId: 'd', userId: 'u', rights: 'read', note: 'old' };

    it('leave a record alone if its key exists and it is ensured', async () => {
      await grants.insert(db, first);
      await grants.ensure(db, [
        { ...first, rights: 'write' },
        { ...first, userId: 'v' },
      ]);
      expect(await grants.list(db)).to.deep.equal([first, { ...first, userId: 'v' }]);
    });

    it('update all fields, or those named, if the key exists and it is upserted', async () => {
      await grants.insert(db, first);
      await grants.upsert(db, [{ ...first, rights: 'write', note: 'new' }]);
      expect(await grants.list(db)).to.deep.equal([{ ...first, rights: 'write', note: 'new' }]);
      await grants.upsert(db, [first], ['diskId', 'userId'], ['rights']);
      expect(await grants.list(db)).to.deep.equal([{ ...first, note: 'new' }]);
    });
  });

  describe('list', () => {
    beforeEach(() =>
      disks.insertAll(db, [
        disk('a', { size: 3, isPublic: true }),
        disk('b', { size: null, ownerId: 'o', typeId: 2 }),
        disk('c', { size: 1, ownerId: 'p', isPublic: true, typeId: 2 }),
        disk('d', { size: 3, ownerId: 'o' }),
      ]),
    );

    it('filters by a value, null, one of several values, and a joined column', async () => {
      const listed = async (where: Parameters<typeof disks.narrow>[1]) =>
        ids(await disks.list(db, { where }));
      expect(await listed({ isPublic: true })).to.deep.equal(['a', 'c']);
      expect(await listed({ size: null })).to.deep.equal(['b']);
      expect(await listed({ ownerId: null })).to.deep.equal(['a']);
      expect(await listed({ size: [null, 1] })).to.deep.equal(['b', 'c']);
      expect(await listed({ size: [3, 1], ownerId: ['p'] })).to.deep.equal(['c']);
      expect(await listed({ typeName: 'slow' })).to.deep.equal(['b', 'c']);
      expect(await listed({ id: [] })).to.deep.equal([]);
      expect(await listed({ id: undefined })).to.deep.equal(['a', 'b', 'c', 'd']);
    });

    it('applies further conditions, to the count as well', async () => {
      const conditions = [
        (query: ReturnType<typeof disks.query>) => void query.where('table_disks.size', '>', 1),
      ];
      expect(ids(await disks.list(db, { conditions }))).to.deep.equal(['a', 'd']);
      expect(await disks.count(db, { where: { ownerId: 'o' }, conditions })).to.equal(1);
      expect(await disks.count(db, { where: { typeName: 'slow' } })).to.equal(2);
    });

    for (const fill of [undefined, -1, 2])
      for (const descending of [false, true])
        it(`pages if sorted ${descending ? 'down' : 'up'} with NULL as ${fill}`, async () => {
          const sort = [{ field: 'size' as const, descending, fill }];
          const all = ids(await disks.list(db, { sort }));
          const up = fill === 2 ? ['c', 'b', 'a', 'd'] : ['b', 'c', 'a', 'd'];
          const down = fill === 2 ? ['a', 'd', 'b', 'c'] : ['a', 'd', 'c', 'b'];
          expect(all).to.deep.equal(descending ? down : up);
          let page = await disks.list(db, { sort, limit: 1 });
          for (const id of all) {
            expect(ids(page)).to.deep.equal([id]);
            const before = await disks.list(db, { sort, after: page[0], reverse: true });
            expect(ids(before)).to.deep.equal(all.slice(0, all.indexOf(id)));
            page = await disks.list(db, { sort, after: page[0], limit: 1 });
          }
          expect(page).to.deep.equal([]);
        });

    it('skips as many records as the offset says', async () => {
      expect(ids(await disks.list(db, { limit: 2, offset: 1 }))).to.deep.equal(['b', 'c']);
    });

    it('sorts by a joined column that is named by its column', async () => {
      expect(disks.fieldOf('no_such_column')).to.equal(undefined);
      const field = disks.fieldOf('type_name')!;
      const listed = await disks.list(db, { sort: [{ field, descending: true }] });
      expect(ids(listed)).to.deep.equal(['b', 'c', 'a', 'd']);
    });
  });

  describe('among', () => {
    it('returns the records of more values than fit into one statement, in order', async () => {
      const all = Array.from({ length: 600 }, (_, index) => disk(number(index)));
      await disks.insertAll(db, all);
      const wanted = [...all.map(({ id }) => id).toReversed(), number(1), 'none'];
      expect(ids(await disks.among(db, 'id', wanted))).to.deep.equal(ids(all));
      expect(ids(await disks.among(db, 'id', wanted, { deletedAt: 1 }))).to.deep.equal([]);
    });
  });

  describe('update and remove', () => {
    beforeEach(() => disks.insertAll(db, [disk('a'), disk('b', { size: 1 })]));

    it('change the given fields of the rows that match, and resolve to their number', async () => {
      expect(await disks.update(db, { id: ['a', 'b'] }, { size: 7, isLocked: true })).to.equal(2);
      expect(await find('b')).to.include({ size: 7, isLocked: true, ratio: 1.5 });
      expect(await disks.update(db, { id: 'c' }, { size: 7 })).to.equal(0);
      expect(await disks.remove(db, { size: 7, id: 'a' })).to.equal(1);
      expect(await disks.count(db)).to.equal(1);
    });

    it('write a derived column only if a field that it depends on is written', async () => {
      const inUse = () => db('table_disks').where({ id: 'a' }).pluck('in_use');
      await disks.update(db, { id: 'a' }, { status: 'used' });
      expect(await inUse()).to.deep.equal([1]);
      await disks.update(db, { id: 'a' }, { size: 1 });
      expect(await inUse()).to.deep.equal([1]);
      await disks.update(db, { id: 'a' }, { status: 'free' });
      expect(await inUse()).to.deep.equal([null]);
    });

    it('can be deferred to the end of a transaction', async () => {
      await db.transaction((trx) => deferred(disks.update(trx, { id: 'a' }, { size: 9 })));
      expect(await find('a')).to.include({ size: 9 });
    });

    it('throw instead of matching every row if a condition is undefined', async () => {
      const where: { id: string } = JSON.parse('{}') as { id: string };
      expect(() => disks.remove(db, { id: where.id })).to.throw('The condition on id is undefined');
      expect(await disks.count(db)).to.equal(2);
    });
  });

  describe('writes at a revision', () => {
    let read: Disk;
    beforeEach(async () => {
      await disks.insert(db, disk('a'));
      read = await find('a');
    });

    it('succeed if the record has not changed, and return it with its new revision', async () => {
      const updated = await disks.updateAtRevision(db, read, { size: 4 }, stale);
      expect(updated).to.deep.equal({ ...read, size: 4, revision: 1 });
      expect(await find('a')).to.deep.equal(updated);
      const bumped = await disks.bumpRevision(db, updated, stale);
      expect(bumped).to.deep.equal({ ...updated, revision: 2 });
      await disks.checkRevision(db, bumped, stale);
      expect(await find('a')).to.deep.equal(bumped);
      await disks.removeAtRevision(db, bumped, stale);
      expect(await disks.count(db)).to.equal(0);
    });

    it('throw SerializationFailure and change nothing if the record has changed', async () => {
      const changed = await disks.bumpRevision(db, read, stale);
      for (const write of [
        disks.updateAtRevision(db, read, { size: 4 }, stale),
        disks.bumpRevision(db, read, stale),
        disks.checkRevision(db, read, stale),
        disks.removeAtRevision(db, read, stale),
      ])
        expect(await thrownBy(write)).to.be.an.instanceof(SerializationFailure);
      expect(await find('a')).to.deep.equal(changed);
    });
  });

  it('reads the result of a query that a store has written itself', async () => {
    await disks.insertAll(db, [disk('a'), disk('b', { isPublic: true })]);
    const query = disks.query(db).whereRaw('?? + 1 = 2', [disks.column('isPublic')]);
    expect(ids(await disks.read(query))).to.deep.equal(['b']);
  });

  it('refuses, at compile time, columns that do not fit the fields of the record', () => {
    // @ts-expect-error -- a field that may be null needs a nullable column
    void new Table<{ id: string; size: number | null }>('t', { id: text, size: integer });
    // @ts-expect-error -- a field that is never null must not have a nullable column
    void new Table<{ id: string; size: number }>('t', { id: text, size: nullable(integer) });
    // @ts-expect-error -- each field needs a column
    void new Table<{ id: string; size: number }>('t', { id: text });
    // @ts-expect-error -- each column needs a field
    void new Table<{ id: string }>('t', { id: text, size: integer });
  });
});
