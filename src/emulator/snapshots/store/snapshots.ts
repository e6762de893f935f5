// Snapshots in the central database: their list, and their parts.
import { machineNow, SECOND } from '../../../kernel/clock.ts';
import { binary, integer, micros, named, nullable, text } from '../../../kernel/db/columns.ts';
import type { Database, Db } from '../../../kernel/db/database.ts';
import type { Condition } from '../../../kernel/db/listing.ts';
import { Table } from '../../../kernel/db/table.ts';
import { transact } from '../../../kernel/db/transaction.ts';
import type { Part, Snapshot } from '../model.ts';

const snapshots = new Table<Snapshot, 'id'>(
  'cumulet_snapshots',
  {
    id: integer,
    name: nullable(text),
    digest: nullable(text),
    header: text,
    size: integer,
    rowCount: integer,
    createdAt: micros,
  },
  { generated: 'id' },
);

const parts = new Table(
  'cumulet_snapshot_parts',
  { snapshotId: integer, part: integer, database: named('of_database', text), bytes: binary },
  { key: ['snapshotId', 'part'] },
);

/** The named snapshots, sorted by name. */
export const listSnapshots = (db: Db): Promise<Snapshot[]> =>
  snapshots.list(db, { conditions: [isSet('name')], sort: ['name'] });

const isSet =
  (column: string): Condition =>
  (query) =>
    void query.whereNotNull(column);

export const findSnapshot = (db: Db, name: string): Promise<Snapshot | undefined> =>
  snapshots.find(db, { name });

export const snapshotWithId = (db: Db, id: number): Promise<Snapshot | undefined> =>
  snapshots.find(db, { id });

/** Finds the snapshot of the seed file with this digest. */
export const findSeed = (db: Db, digest: string): Promise<Snapshot | undefined> =>
  snapshots.find(db, { digest });

/** Inserts a snapshot without a name and parts. */
export const beginSnapshot = (central: Database): Promise<{ readonly id: number }> =>
  transact(central.db, async (db) => {
    const [id] = await snapshots.insert(db, {
      name: null,
      digest: null,
      header: '',
      size: 0,
      rowCount: 0,
      createdAt: machineNow(),
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
    await snapshots.update(db, { id }, { header, size, rowCount });
    return (await snapshots.find(db, { id }))!;
  });

/** Names a snapshot, and deletes the previous one of that name. @returns whether there was one */
export const nameSnapshot = (central: Database, id: number, name: string): Promise<boolean> =>
  transact(central.db, async (db) => {
    const previous = await snapshots.find(db, { name });
    if (previous) await deleteSnapshot(db, previous.id);
    await snapshots.update(db, { id }, { name });
    return previous !== undefined;
  });

/** Marks a snapshot as that of the seed file, and deletes the previous seed. */
export const markAsSeed = (central: Database, id: number, digest: string): Promise<void> =>
  transact(central.db, async (db) => {
    for (const previous of await snapshots.list(db, { conditions: [isSet('digest')] }))
      await deleteSnapshot(db, previous.id);
    await snapshots.update(db, { id }, { digest });
  });

/** Deletes a snapshot with its parts. @returns whether it existed */
export async function deleteSnapshot(db: Db, id: number): Promise<boolean> {
  await parts.remove(db, { snapshotId: id });
  return (await snapshots.remove(db, { id })) > 0;
}

/** Deletes a snapshot unless it has a name, or is that of the seed file. */
export async function deleteUnnamed(db: Db, id: number): Promise<void> {
  if (await snapshots.exists(db, { id, name: null, digest: null })) await deleteSnapshot(db, id);
}

/** Whether any snapshot has no name: it is being taken, exported or imported. */
export const hasUnnamed = (db: Db): Promise<boolean> =>
  snapshots.exists(db, { name: null, digest: null });

/** How long a snapshot may be without a name, while it is taken, exported or imported. */
const maxUnnamed = 3600 * SECOND;

/** Deletes the unfinished snapshots of processes that have crashed. */
export async function deleteAbandoned(db: Db, minAge = maxUnnamed): Promise<void> {
  const isOld: Condition = (query) => void query.where('created_at', '<=', machineNow() - minAge);
  const where = { name: null, digest: null };
  for (const { id } of await snapshots.list(db, { where, conditions: [isOld] }))
    await deleteSnapshot(db, id);
}

/**
 * Inserts a part, in the given transaction or in its own. It needs one, to be retried: MySQL's gap
 * locks can conflict with other processes that delete parts.
 */
export async function insertPart(
  db: Db,
  snapshotId: number,
  part: number,
  data: Part,
): Promise<void> {
  const insert = async (trx: Db): Promise<void> =>
    void (await parts.insert(trx, { snapshotId, part, ...data }));
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
  for (let last = -1; ;) {
    const [next] = await parts.list(db, {
      where: { snapshotId: id, database },
      conditions: [(query) => void query.where('part', '>', last)],
      limit: 1,
    });
    if (!next) break;
    yield { database: next.database, bytes: Buffer.from(next.bytes) };
    last = next.part;
  }
  if (!(await snapshots.exists(db, { id })))
    throw new Error('The snapshot was deleted while it was being read.');
}
