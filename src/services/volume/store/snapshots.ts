// The table of snapshots, with their metadata.
import type { Metadata, Snapshot } from '../model.ts';
import {
  countListed,
  filter,
  page,
  type ColumnValues,
  type Counted,
  type Filters,
  type Listing,
} from './lists.ts';
import { metadataOf } from './metadata.ts';
import { writerOf } from './writing.ts';
import type { Db } from '../../../kernel/db/database.ts';

interface Row {
  id: string;
  volume_id: string;
  project_id: string;
  user_id: string;
  name: string | null;
  description: string | null;
  size: number;
  status: string;
  progress: string;
  type_id: string;
  revision: number;
  created_at: number;
  updated_at: number | null;
}

const rowOf = (snapshot: Snapshot): Row => ({
  id: snapshot.id,
  volume_id: snapshot.volumeId,
  project_id: snapshot.projectId,
  user_id: snapshot.userId,
  name: snapshot.name,
  description: snapshot.description,
  size: snapshot.size,
  status: snapshot.status,
  progress: snapshot.progress,
  type_id: snapshot.typeId,
  revision: snapshot.revision,
  created_at: snapshot.createdAt,
  updated_at: snapshot.updatedAt,
});

const record = (row: Row, metadata: Metadata): Snapshot => ({
  id: row.id,
  volumeId: row.volume_id,
  projectId: row.project_id,
  userId: row.user_id,
  name: row.name,
  description: row.description,
  size: row.size,
  status: row.status,
  progress: row.progress,
  typeId: row.type_id,
  revision: row.revision,
  createdAt: Number(row.created_at),
  updatedAt: row.updated_at === null ? null : Number(row.updated_at),
  metadata,
});

async function withMetadata(db: Db, rows: readonly Row[]): Promise<Snapshot[]> {
  if (!rows.length) return [];
  const ids = rows.map((row) => row.id);
  const metadata = await metadataOf(db, ids);
  return rows.map((row) => record(row, metadata.get(row.id) ?? {}));
}

export async function findSnapshot(db: Db, id: string): Promise<Snapshot | undefined> {
  const row = (await db('volume_snapshots').where({ id }).first()) as Row | undefined;
  return row && (await withMetadata(db, [row]))[0];
}

/** The snapshots of a volume, newest first. */
export async function snapshotsOf(db: Db, volumeId: string): Promise<Snapshot[]> {
  const order = ['created_at', 'id'].map((column) => ({ column, order: 'desc' }));
  return withMetadata(
    db,
    (await db('volume_snapshots').where({ volume_id: volumeId }).orderBy(order)) as Row[],
  );
}

export async function selectSnapshots(db: Db, listing: Listing): Promise<Snapshot[]> {
  const query = db('volume_snapshots').select('volume_snapshots.*');
  filter(db, query, 'volume_snapshots', listing);
  page(query, 'volume_snapshots', listing);
  return withMetadata(db, (await query) as Row[]);
}

/** Counts the snapshots that match the filters. */
export const countSnapshots = (db: Db, filters: Filters): Promise<Counted> =>
  countListed(db, 'volume_snapshots', filters);

/** The row of a snapshot, by its columns. */
export const snapshotRow = (snapshot: Snapshot): ColumnValues => ({ ...rowOf(snapshot) });

export const {
  insert: insertSnapshot,
  update: updateSnapshot,
  remove: deleteSnapshot,
} = writerOf<Snapshot>('snapshot', rowOf);
