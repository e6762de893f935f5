// The table of volumes, with their metadata and attachments.
import type { Knex } from 'knex';
import type { Micros } from '../../../kernel/clock.ts';
import {
  boolean,
  integer,
  jsonObject,
  micros,
  named,
  nullable,
  referring,
  text,
  textOf,
} from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { RevisionTable } from '../../../kernel/db/revision-table.ts';
import { conflict, type ApiError } from '../../../kernel/errors.ts';
import {
  attachStatuses,
  migrationStatuses,
  volumeStatuses,
  type Volume,
  type VolumeRow,
} from '../model.ts';
import { consistencyGroupsAmong } from './groups.ts';
import { attachmentsOf, deleteAttachmentsOf } from './attachments.ts';
import { groupedValues } from '../../../kernel/db/grouping.ts';
import {
  countAndSize,
  listPage,
  type CountAndSize,
  type Filters,
  type Page,
  type SumRow,
} from './lists.ts';
import { metadataOf, writeMetadata } from './metadata.ts';
import { deleteTransfersOf } from './transfers.ts';

const volumes = new RevisionTable<VolumeRow>(
  'volume_volumes',
  {
    id: text,
    projectId: text,
    userId: text,
    name: nullable(text),
    description: nullable(text),
    size: integer,
    status: textOf(volumeStatuses),
    previousStatus: nullable(textOf(volumeStatuses)),
    attachStatus: textOf(attachStatuses),
    migrationStatus: nullable(textOf(migrationStatuses)),
    typeId: text,
    typeName: named('volume_types.name', text),
    availabilityZone: text,
    host: nullable(text),
    snapshotId: nullable(text),
    sourceVolid: nullable(text),
    groupId: referring(nullable(text), 'volume_groups.id'),
    bootable: boolean,
    multiattach: boolean,
    readonly: nullable(boolean),
    attachedMode: nullable(text),
    imageMetadata: jsonObject(),
    encrypted: boolean,
    revision: integer,
    createdAt: micros,
    updatedAt: nullable(micros),
  },
  {
    revision: 'revision',
    join: (query) => void query.join('volume_types', 'volume_types.id', 'volume_volumes.type_id'),
  },
);

async function withDetails(db: Db, rows: readonly VolumeRow[]): Promise<Volume[]> {
  if (!rows.length) return [];
  const ids = rows.map(({ id }) => id);
  const metadata = await metadataOf(db, ids);
  const attachments = groupedValues(
    await attachmentsOf(db, ids),
    ({ volumeId }) => volumeId,
    (attachment) => attachment,
  );
  const groupIds = rows.flatMap(({ groupId }) => groupId ?? []);
  const consistencyGroups = groupIds.length ? await consistencyGroupsAmong(db, groupIds) : [];
  return rows.map((row) => ({
    ...row,
    isInConsistencyGroup: row.groupId !== null && consistencyGroups.includes(row.groupId),
    metadata: metadata.get(row.id) ?? {},
    attachments: attachments.get(row.id) ?? [],
  }));
}

export async function findVolume(db: Db, id: string): Promise<Volume | undefined> {
  const row = await volumes.find(db, { id });
  return row && (await withDetails(db, [row]))[0];
}

export const selectVolumes = async (db: Db, page: Page<VolumeRow>): Promise<Volume[]> =>
  withDetails(db, await listPage(db, volumes, page));

/** Counts the volumes that match the filters. */
export const countVolumes = (db: Db, filters: Filters<VolumeRow>): Promise<CountAndSize> =>
  countAndSize(db, volumes, filters);

/** Counts the volumes in a pool, and adds up their sizes. */
export async function countPlacedVolumes(db: Db, host: string): Promise<CountAndSize> {
  const query: Knex.QueryBuilder = db(volumes.name).where({ host }).count('* as count');
  const [total] = (await query.sum('size as size')) as SumRow[];
  return { count: Number(total!.count), size: Number(total!.size ?? 0) };
}

const notAtBackend = ['creating', 'managing', 'error_managing', 'error_managing_deleting'];

/** Lists the volumes that a backend has. One that could not be managed is not among them. */
export const volumesAtBackend = (db: Db, host: string): Promise<VolumeRow[]> =>
  volumes.list(db, {
    where: { host },
    conditions: [(query) => void query.whereNotIn('status', notAtBackend)],
  });

/** Lists the ids of the volumes of a project, or of all projects. */
export async function volumeIds(db: Db, projectId: string | undefined): Promise<string[]> {
  const query = db(volumes.name).orderBy('id');
  if (projectId !== undefined) void query.where({ project_id: projectId });
  return (await query.pluck('id')) as string[];
}

/** Lists the volumes of a group, oldest first. */
export async function volumesOfGroup(db: Db, groupId: string): Promise<Volume[]> {
  return withDetails(db, await volumes.list(db, { where: { groupId }, sort: ['createdAt'] }));
}

/** Returns the ids of the volumes in groups, by group. */
export const volumeIdsByGroup = async (
  db: Db,
  groupIds: readonly string[],
): Promise<Map<string, string[]>> =>
  groupedValues(
    await volumes.among(db, 'groupId', groupIds),
    ({ groupId }) => groupId!,
    ({ id }) => id,
  );

/** Returns whether any volume has the type. */
export const isTypeInUse = (db: Db, typeId: string): Promise<boolean> =>
  volumes.exists(db, { typeId });

export async function insertVolume(db: Db, volume: Volume): Promise<void> {
  await volumes.insert(db, volume);
  await writeMetadata(db, volume.id, volume.metadata);
}

const stale = (): ApiError => conflict('The volume was changed by somebody else.');

/**
 * Changes a volume that was read.
 * @throws SerializationFailure if another transaction has changed it
 */
export async function updateVolume(
  db: Db,
  volume: Volume,
  change: Partial<Volume>,
  now: Micros,
): Promise<Volume> {
  const fields = { ...change, updatedAt: now };
  const updated = await volumes.updateAtRevision(db, volume, fields, stale);
  if (change.metadata) await writeMetadata(db, volume.id, change.metadata);
  return updated;
}

/**
 * Bumps the revision of a volume that a write depends on, such as a write to its attachments.
 * @throws SerializationFailure if another transaction has changed it
 */
export const bumpVolumeRevision = (db: Db, volume: Volume): Promise<Volume> =>
  volumes.bumpRevision(db, volume, stale);

/**
 * Deletes a volume that was read, with its attachments, transfers and metadata. Its snapshots must
 * be deleted before.
 * @throws SerializationFailure if another transaction has changed it
 */
export async function deleteVolume(db: Db, volume: Volume): Promise<void> {
  const { id } = volume;
  await deleteAttachmentsOf(db, id);
  await deleteTransfersOf(db, id);
  await writeMetadata(db, id, {});
  await volumes.removeAtRevision(db, volume, stale);
}
