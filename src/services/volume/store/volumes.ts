// The table of volumes, with their metadata and attachments.
import type { Knex } from 'knex';
import type { Attachment, Metadata, Volume } from '../model.ts';
import { attachmentsOf } from './attachments.ts';
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
  project_id: string;
  user_id: string;
  name: string | null;
  description: string | null;
  size: number;
  status: string;
  previous_status: string | null;
  attach_status: string;
  migration_status: string | null;
  type_id: string;
  type_name?: string;
  availability_zone: string;
  host: string | null;
  snapshot_id: string | null;
  source_volid: string | null;
  bootable: number | boolean;
  multiattach: number | boolean;
  readonly: number | boolean | null;
  attached_mode: string | null;
  image_metadata: string;
  encrypted: number | boolean;
  revision: number;
  created_at: number;
  updated_at: number | null;
}

const rowOf = (volume: Volume): Row => ({
  id: volume.id,
  project_id: volume.projectId,
  user_id: volume.userId,
  name: volume.name,
  description: volume.description,
  size: volume.size,
  status: volume.status,
  previous_status: volume.previousStatus,
  attach_status: volume.attachStatus,
  migration_status: volume.migrationStatus,
  type_id: volume.typeId,
  availability_zone: volume.availabilityZone,
  host: volume.host,
  snapshot_id: volume.snapshotId,
  source_volid: volume.sourceVolid,
  bootable: Number(volume.bootable),
  multiattach: Number(volume.multiattach),
  readonly: volume.readonly === null ? null : Number(volume.readonly),
  attached_mode: volume.attachedMode,
  image_metadata: JSON.stringify(volume.imageMetadata),
  encrypted: Number(volume.encrypted),
  revision: volume.revision,
  created_at: volume.createdAt,
  updated_at: volume.updatedAt,
});

const record = (row: Row, metadata: Metadata, attachments: readonly Attachment[]): Volume => ({
  id: row.id,
  projectId: row.project_id,
  userId: row.user_id,
  name: row.name,
  description: row.description,
  size: row.size,
  status: row.status,
  previousStatus: row.previous_status,
  attachStatus: row.attach_status,
  migrationStatus: row.migration_status,
  typeId: row.type_id,
  typeName: row.type_name!,
  availabilityZone: row.availability_zone,
  host: row.host,
  snapshotId: row.snapshot_id,
  sourceVolid: row.source_volid,
  bootable: Boolean(row.bootable),
  multiattach: Boolean(row.multiattach),
  readonly: row.readonly === null ? null : Boolean(row.readonly),
  attachedMode: row.attached_mode,
  imageMetadata: JSON.parse(row.image_metadata) as Metadata,
  encrypted: Boolean(row.encrypted),
  revision: row.revision,
  createdAt: Number(row.created_at),
  updatedAt: row.updated_at === null ? null : Number(row.updated_at),
  metadata,
  attachments,
});

const select = (db: Db): Knex.QueryBuilder =>
  db('volume_volumes')
    .join('volume_types', 'volume_types.id', 'volume_volumes.type_id')
    .select('volume_volumes.*', 'volume_types.name as type_name');

async function withParts(db: Db, rows: readonly Row[]): Promise<Volume[]> {
  if (!rows.length) return [];
  const ids = rows.map((row) => row.id);
  const metadata = await metadataOf(db, ids);
  const attachments = await attachmentsOf(db, ids);
  return rows.map((row) =>
    record(
      row,
      metadata.get(row.id) ?? {},
      attachments.filter(({ volumeId }) => volumeId === row.id),
    ),
  );
}

export async function findVolume(db: Db, id: string): Promise<Volume | undefined> {
  const row = (await select(db).where('volume_volumes.id', id).first()) as Row | undefined;
  return row && (await withParts(db, [row]))[0];
}

export async function selectVolumes(db: Db, listing: Listing): Promise<Volume[]> {
  const query = select(db);
  filter(db, query, 'volume_volumes', listing);
  page(query, 'volume_volumes', listing);
  return withParts(db, (await query) as Row[]);
}

/** Counts the volumes that match the filters. */
export const countVolumes = (db: Db, filters: Filters): Promise<Counted> =>
  countListed(db, 'volume_volumes', filters);

/**
 * How many volumes there are, and how many GiB those have that are on a host: one that found none
 * takes no room.
 */
export async function countPlaced(db: Db): Promise<Counted> {
  const size = db.raw('sum(case when host is null then 0 else size end) as size');
  const [row] = (await db('volume_volumes').count('* as count').select(size)) as unknown as {
    count: number;
    size: number | null;
  }[];
  return { count: Number(row!.count), size: Number(row!.size ?? 0) };
}

/** The ids of the volumes of a project, or of all projects. */
export async function volumeIds(db: Db, projectId: string | undefined): Promise<string[]> {
  const query = db('volume_volumes').orderBy('id');
  if (projectId !== undefined) void query.where({ project_id: projectId });
  return (await query.pluck('id')) as string[];
}

/** Whether any volume has the type. */
export async function isTypeInUse(db: Db, typeId: string): Promise<boolean> {
  return (await db('volume_volumes').where({ type_id: typeId }).first('id')) !== undefined;
}

/** The row of a volume, by its columns. */
export const volumeRow = (volume: Volume): ColumnValues => ({ ...rowOf(volume) });

const writer = writerOf<Volume>('volume', rowOf);
export const { insert: insertVolume, update: updateVolume } = writer;

/** Deletes a volume with its attachments, transfers and metadata, but not its snapshots. */
export async function deleteVolume(db: Db, volume: Volume): Promise<void> {
  const { id } = volume;
  await db('volume_attachments').where({ volume_id: id }).delete();
  await db('volume_transfers').where({ volume_id: id }).delete();
  await writer.remove(db, volume);
}
