// The snapshots of a cloud in its central database: what is told of each, and its parts.
import { machineNow, SECOND, type Micros } from '../../kernel/clock.ts';
import type { Database, Db } from '../../kernel/db/database.ts';
import { transact } from '../../kernel/db/transaction.ts';

/** A snapshot in the list. */
export interface Snapshot {
  readonly id: number;
  /** Undefined for one without a name: one that is being taken or exported, and the seed. */
  readonly name: string | undefined;
  /** The header of the document, as JSON. */
  readonly header: string;
  /** Bytes of its parts. */
  readonly size: number;
  readonly rowCount: number;
  /** By the machine's clock. */
  readonly createdAt: Micros;
}

/** Lines of a snapshot about one database, compressed. */
export interface Part {
  readonly database: string;
  readonly bytes: Buffer;
}

interface Row {
  id: number;
  name: string | null;
  digest: string | null;
  header: string;
  size: number;
  row_count: number;
  created_at: number;
}

const table = (db: Db) => db<Row>('cumulet_snapshots');
const parts = (db: Db) =>
  db<{ snapshot_id: number; part: number; of_database: string; bytes: Uint8Array }>(
    'cumulet_snapshot_parts',
  );

const recordOf = ({ id, name, header, size, row_count, created_at }: Row): Snapshot => ({
  id,
  name: name ?? undefined,
  header,
  size: Number(size),
  rowCount: Number(row_count),
  createdAt: Number(created_at),
});

/** The snapshots that have names, in the order of the names. */
export const listedSnapshots = async (db: Db): Promise<Snapshot[]> =>
  (await table(db).whereNotNull('name').orderBy('name')).map(recordOf);

export async function findSnapshot(db: Db, name: string): Promise<Snapshot | undefined> {
  const row = await table(db).where({ name }).first();
  return row && recordOf(row);
}

/** The snapshot of a seed file with this digest. */
export async function findSeed(db: Db, digest: string): Promise<Snapshot | undefined> {
  const row = await table(db).where({ digest }).first();
  return row && recordOf(row);
}

/** Begins a snapshot without a name. */
export const beginSnapshot = (central: Database): Promise<{ readonly id: number }> =>
  transact(central.db, async (db) => {
    const [id] = await table(db).insert({
      name: null,
      digest: null,
      header: '',
      size: 0,
      row_count: 0,
      created_at: machineNow(),
    });
    return { id: id! };
  });

/** Writes what is told of a snapshot, when all its parts are written. */
export const endSnapshot = (
  central: Database,
  id: number,
  { header, size, rowCount }: Pick<Snapshot, 'header' | 'size' | 'rowCount'>,
): Promise<Snapshot> =>
  transact(central.db, async (db) => {
    await table(db).where({ id }).update({ header, size, row_count: rowCount });
    return recordOf((await table(db).where({ id }).first())!);
  });

/** Gives a snapshot its name in the place of the one that had it. @returns whether there was one */
export const nameSnapshot = (central: Database, id: number, name: string): Promise<boolean> =>
  transact(central.db, async (db) => {
    const before = await table(db).where({ name }).pluck('id');
    for (const one of before) await deleteSnapshot(db, one);
    await table(db).where({ id }).update({ name });
    return before.length > 0;
  });

/** Makes a snapshot the seed, in the place of any that was. */
export const makeSeed = (central: Database, id: number, digest: string): Promise<void> =>
  transact(central.db, async (db) => {
    for (const one of await table(db).whereNotNull('digest').orderBy('id').pluck('id'))
      await deleteSnapshot(db, one);
    await table(db).where({ id }).update({ digest });
  });

/** Deletes a snapshot with its parts. @returns whether it was there */
export async function deleteSnapshot(db: Db, id: number): Promise<boolean> {
  await parts(db).where({ snapshot_id: id }).delete();
  return (await table(db).where({ id }).delete()) > 0;
}

/** How long one without a name may be at work, being taken or exported. */
const mostWork = 3600 * SECOND;

/** Deletes what processes that ended have left half taken. */
export async function deleteAbandoned(db: Db): Promise<void> {
  const left = table(db).whereNull('name').whereNull('digest');
  for (const id of await left
    .where('created_at', '<', machineNow() - mostWork)
    .orderBy('id')
    .pluck('id'))
    await deleteSnapshot(db, id);
}

/**
 * Inserts a part, in the transaction that it is given, or in one of its own: others may be deleting
 * theirs, and MySQL locks what lies between.
 */
export async function insertPart(
  db: Db,
  id: number,
  part: number,
  { database, bytes }: Part,
): Promise<void> {
  const insert = async (trx: Db): Promise<void> =>
    void (await parts(trx).insert({ snapshot_id: id, part, of_database: database, bytes }));
  await (db.isTransaction ? insert(db) : transact(db, insert));
}

/**
 * The parts in order, one by one; of one database where it is named.
 * @throws Error where the snapshot goes meanwhile
 */
export async function* partsOf(
  db: Db,
  { id }: Pick<Snapshot, 'id'>,
  database?: string,
): AsyncGenerator<Part> {
  const scope = { snapshot_id: id, ...(database === undefined ? {} : { of_database: database }) };
  for (let last = -1; ;) {
    const row = await parts(db).where(scope).where('part', '>', last).orderBy('part').first();
    if (!row) break;
    yield { database: row.of_database, bytes: Buffer.from(row.bytes) };
    last = row.part;
  }
  if (!(await table(db).where({ id }).first('id')))
    throw new Error('The snapshot was deleted while it was read.');
}
