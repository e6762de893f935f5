// Snapshots in the central database: their list, and their parts.
import { machineNow, SECOND } from '../../../kernel/clock.ts';
import type { Database, Db } from '../../../kernel/db/database.ts';
import { transact } from '../../../kernel/db/transaction.ts';
import type { Part, Snapshot } from '../model.ts';

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

/** The named snapshots, sorted by name. */
export const listSnapshots = async (db: Db): Promise<Snapshot[]> =>
  (await table(db).whereNotNull('name').orderBy('name')).map(recordOf);

export async function findSnapshot(db: Db, name: string): Promise<Snapshot | undefined> {
  const row = await table(db).where({ name }).first();
  return row && recordOf(row);
}

/** Finds the snapshot of the seed file with this digest. */
export async function findSeed(db: Db, digest: string): Promise<Snapshot | undefined> {
  const row = await table(db).where({ digest }).first();
  return row && recordOf(row);
}

/** Inserts a snapshot without a name and parts. */
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

/** Completes a snapshot, after all its parts have been written. */
export const completeSnapshot = (
  central: Database,
  id: number,
  { header, size, rowCount }: Pick<Snapshot, 'header' | 'size' | 'rowCount'>,
): Promise<Snapshot> =>
  transact(central.db, async (db) => {
    await table(db).where({ id }).update({ header, size, row_count: rowCount });
    return recordOf((await table(db).where({ id }).first())!);
  });

/** Names a snapshot, and deletes the previous one of that name. @returns whether there was one */
export const nameSnapshot = (central: Database, id: number, name: string): Promise<boolean> =>
  transact(central.db, async (db) => {
    const previous = await table(db).where({ name }).pluck('id');
    for (const one of previous) await deleteSnapshot(db, one);
    await table(db).where({ id }).update({ name });
    return previous.length > 0;
  });

/** Marks a snapshot as that of the seed file, and deletes the previous seed. */
export const markAsSeed = (central: Database, id: number, digest: string): Promise<void> =>
  transact(central.db, async (db) => {
    for (const one of await table(db).whereNotNull('digest').orderBy('id').pluck('id'))
      await deleteSnapshot(db, one);
    await table(db).where({ id }).update({ digest });
  });

/** Deletes a snapshot with its parts. @returns whether it existed */
export async function deleteSnapshot(db: Db, id: number): Promise<boolean> {
  await parts(db).where({ snapshot_id: id }).delete();
  return (await table(db).where({ id }).delete()) > 0;
}

/** How long a snapshot may be without a name, while it is taken or exported. */
const maxUnnamed = 3600 * SECOND;

/** Deletes the unfinished snapshots of processes that have crashed. */
export async function deleteAbandoned(db: Db): Promise<void> {
  const unnamed = table(db).whereNull('name').whereNull('digest');
  for (const id of await unnamed
    .where('created_at', '<', machineNow() - maxUnnamed)
    .orderBy('id')
    .pluck('id'))
    await deleteSnapshot(db, id);
}

/**
 * Inserts a part, in the given transaction or in its own. It needs one, to be retried: MySQL's gap
 * locks can conflict with other processes that delete parts.
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
 * Reads the parts of a snapshot, or those of one database, in order and one at a time.
 * @throws Error if the snapshot is deleted in the meantime
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
    throw new Error('The snapshot was deleted while it was being read.');
}
