// The table of backups, with their metadata.
import type { Micros } from '../../../kernel/clock.ts';
import { integer, jsonWhere, micros, nullable, text, textOf } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { RevisionTable } from '../../../kernel/db/revision-table.ts';
import { conflict, type ApiError } from '../../../kernel/errors.ts';
import { backupStatuses, type Backup, type BackupRow } from '../model.ts';
import { countAndSize, listPage, type CountAndSize, type Filters, type Page } from './lists.ts';
import { metadataOf, writeMetadata } from './metadata.ts';

/** Whether a stored value says what a restore gives to a volume. */
function isContent(value: unknown): boolean {
  const { name, description, metadata, imageMetadata } = (value ?? {}) as Record<string, unknown>;
  const isTextOrNull = (one: unknown): boolean => one === null || typeof one === 'string';
  const areTexts = (one: unknown): boolean =>
    typeof one === 'object' &&
    one !== null &&
    Object.values(one).every((text) => typeof text === 'string');
  return [name, description].every(isTextOrNull) && [metadata, imageMetadata].every(areTexts);
}

const backups = new RevisionTable<BackupRow>(
  'volume_backups',
  {
    id: text,
    projectId: text,
    userId: text,
    name: nullable(text),
    description: nullable(text),
    volumeId: text,
    snapshotId: nullable(text),
    parentId: nullable(text),
    size: integer,
    status: textOf(backupStatuses),
    failReason: nullable(text),
    container: nullable(text),
    objectCount: integer,
    availabilityZone: nullable(text),
    dataTimestamp: nullable(micros),
    content: jsonWhere(
      isContent,
      'a JSON object with name, description, and objects metadata and imageMetadata',
    ),
    restoreVolumeId: nullable(text),
    revision: integer,
    createdAt: micros,
    updatedAt: nullable(micros),
  },
  { revision: 'revision' },
);

async function withDetails(db: Db, rows: readonly BackupRow[]): Promise<Backup[]> {
  if (!rows.length) return [];
  const ids = rows.map(({ id }) => id);
  const metadata = await metadataOf(db, ids);
  const children = await backups.among(db, 'parentId', ids);
  const parents = new Set(children.map(({ parentId }) => parentId));
  return rows.map((row) => ({
    ...row,
    metadata: metadata.get(row.id) ?? {},
    hasChildren: parents.has(row.id),
  }));
}

export async function findBackup(db: Db, id: string): Promise<Backup | undefined> {
  const row = await backups.find(db, { id });
  return row && (await withDetails(db, [row]))[0];
}

export const selectBackups = async (db: Db, page: Page<BackupRow>): Promise<Backup[]> =>
  withDetails(db, await listPage(db, backups, page));

/** Counts the backups that match the filters, and adds up their sizes. */
export const countBackups = (db: Db, filters: Filters<BackupRow>): Promise<CountAndSize> =>
  countAndSize(db, backups, filters);

/** Lists the backups of a volume in a project, oldest first. */
export const backupsOfVolume = (
  db: Db,
  volumeId: string,
  projectId: string,
): Promise<BackupRow[]> =>
  backups.list(db, { where: { volumeId, projectId }, sort: ['createdAt'] });

export async function insertBackup(db: Db, backup: Backup): Promise<void> {
  await backups.insert(db, backup);
  await writeMetadata(db, backup.id, backup.metadata);
}

const stale = (): ApiError => conflict('The backup was changed by somebody else.');

/** The fields of a backup that change. */
export type BackupChange = Partial<Omit<Backup, 'hasChildren'>>;

/**
 * Changes a backup that was read.
 * @throws SerializationFailure if another transaction has changed it
 */
export async function updateBackup(
  db: Db,
  backup: Backup,
  change: BackupChange,
  now: Micros,
): Promise<Backup> {
  const fields = { ...change, updatedAt: now };
  const updated = await backups.updateAtRevision(db, backup, fields, stale);
  if (change.metadata) await writeMetadata(db, backup.id, change.metadata);
  return updated;
}

/**
 * Deletes a backup that was read, with its metadata.
 * @throws SerializationFailure if another transaction has changed it
 */
export async function deleteBackup(db: Db, backup: Backup): Promise<void> {
  await writeMetadata(db, backup.id, {});
  await backups.removeAtRevision(db, backup, stale);
}
