// The table of snapshots, with their metadata.
import type { Knex } from 'knex';
import type { Micros } from '../../../kernel/clock.ts';
import { integer, micros, nullable, referring, text, textOf } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { RevisionTable } from '../../../kernel/db/revision-table.ts';
import { conflict, type ApiError } from '../../../kernel/errors.ts';
import { snapshotStatuses, type Snapshot, type SnapshotRow } from '../model.ts';
import { countAndSize, listPage, type CountAndSize, type Filters, type Page } from './lists.ts';
import { metadataOf, writeMetadata } from './metadata.ts';

const snapshots = new RevisionTable<SnapshotRow>(
  'volume_snapshots',
  {
    id: text,
    volumeId: text,
    projectId: text,
    userId: text,
    name: nullable(text),
    description: nullable(text),
    size: integer,
    status: textOf(snapshotStatuses),
    progress: text,
    typeId: referring(text, 'volume_types.id'),
    groupSnapshotId: referring(nullable(text), 'volume_group_snapshots.id'),
    revision: integer,
    createdAt: micros,
    updatedAt: nullable(micros),
  },
  { revision: 'revision' },
);

async function withMetadata(db: Db, rows: readonly SnapshotRow[]): Promise<Snapshot[]> {
  if (!rows.length) return [];
  const ids = rows.map(({ id }) => id);
  const metadata = await metadataOf(db, ids);
  return rows.map((row) => ({ ...row, metadata: metadata.get(row.id) ?? {} }));
}

export async function findSnapshot(db: Db, id: string): Promise<Snapshot | undefined> {
  const row = await snapshots.find(db, { id });
  return row && (await withMetadata(db, [row]))[0];
}

/** Lists the snapshots of a volume, newest first. */
export async function snapshotsOf(db: Db, volumeId: string): Promise<Snapshot[]> {
  const sort = (['createdAt', 'id'] as const).map((field) => ({ field, descending: true }));
  return withMetadata(db, await snapshots.list(db, { where: { volumeId }, sort }));
}

/** Limits a query to the snapshots of the volumes on a host. */
const onHost =
  (db: Db, host: string) =>
  (query: Knex.QueryBuilder): void =>
    void query.whereIn('volume_id', db('volume_volumes').where({ host }).select('id'));

/** Lists the snapshots that a backend has. */
export const snapshotsAtBackend = (db: Db, host: string): Promise<SnapshotRow[]> =>
  snapshots.list(db, {
    conditions: [
      onHost(db, host),
      (query) => void query.whereNotIn('status', ['creating', 'error']),
    ],
  });

/** Counts the snapshots of the volumes on a host. */
export async function countPlacedSnapshots(db: Db, host: string): Promise<number> {
  const query: Knex.QueryBuilder = db(snapshots.name).count('* as count');
  onHost(db, host)(query);
  const [total] = (await query) as { count: number }[];
  return Number(total!.count);
}

/** Lists the snapshots of a group snapshot, oldest first. */
export async function snapshotsOfGroup(db: Db, groupSnapshotId: string): Promise<Snapshot[]> {
  const sort = ['createdAt'] as const;
  return withMetadata(db, await snapshots.list(db, { where: { groupSnapshotId }, sort }));
}

export const selectSnapshots = async (db: Db, page: Page<SnapshotRow>): Promise<Snapshot[]> =>
  withMetadata(db, await listPage(db, snapshots, page));

/** Counts the snapshots that match the filters. */
export const countSnapshots = (db: Db, filters: Filters<SnapshotRow>): Promise<CountAndSize> =>
  countAndSize(db, snapshots, filters);

export async function insertSnapshot(db: Db, snapshot: Snapshot): Promise<void> {
  await snapshots.insert(db, snapshot);
  await writeMetadata(db, snapshot.id, snapshot.metadata);
}

const stale = (): ApiError => conflict('The snapshot was changed by somebody else.');

/**
 * Changes a snapshot that was read.
 * @throws SerializationFailure if another transaction has changed it
 */
export async function updateSnapshot(
  db: Db,
  snapshot: Snapshot,
  change: Partial<Snapshot>,
  now: Micros,
): Promise<Snapshot> {
  const fields = { ...change, updatedAt: now };
  const updated = await snapshots.updateAtRevision(db, snapshot, fields, stale);
  if (change.metadata) await writeMetadata(db, snapshot.id, change.metadata);
  return updated;
}

/**
 * Deletes a snapshot that was read, with its metadata.
 * @throws SerializationFailure if another transaction has changed it
 */
export async function deleteSnapshot(db: Db, snapshot: Snapshot): Promise<void> {
  await writeMetadata(db, snapshot.id, {});
  await snapshots.removeAtRevision(db, snapshot, stale);
}
