// Exports and imports the records of backups: what another Cinder with access to the same files
// needs to restore them. Upstream: export_record and import_record in cinder/backup.
import { isoMicros } from '../../../../kernel/clock.ts';
import type { Context } from '../../../../kernel/model.ts';
import { isUuidLike } from '../../../../kernel/ids.ts';
import { parseIsoTime } from '../../../../kernel/oslo/isotime.ts';
import { noContent, zone, type Backup, type BackupContent, type Metadata } from '../../model.ts';
import { findBackup, insertBackup, updateBackup } from '../../store/backups.ts';
import { invalidBackup, invalidInput } from '../errors.ts';
import { reserveBackup } from '../quotas.ts';
import { projectOf } from '../visibility.ts';
import { checkServed, driverName, scheduleForBackup } from './backups.ts';

/** A record as JSON, before it is encoded. */
type BackupRecord = Readonly<Record<string, unknown>>;

/** The volume of a backup whose import has not ended. */
const unknownVolume = '00000000-0000-0000-0000-000000000000';

/** Returns the record of a backup, encoded in base64. @throws 400, 404 */
export async function exportRecord(
  context: Context,
  backup: Backup,
): Promise<{ readonly service: string; readonly url: string }> {
  if (backup.status !== 'available')
    throw invalidBackup(`Backup status must be available and not ${backup.status}.`);
  await checkServed(context);
  const record: BackupRecord = {
    driver_info: { content: backup.content },
    id: backup.id,
    user_id: backup.userId,
    project_id: backup.projectId,
    volume_id: backup.volumeId,
    host: 'cumulet',
    availability_zone: backup.availabilityZone,
    container: backup.container,
    parent_id: backup.parentId,
    status: backup.status,
    fail_reason: backup.failReason,
    size: backup.size,
    display_name: backup.name,
    display_description: backup.description,
    service_metadata: 'backup',
    service: driverName,
    object_count: backup.objectCount,
    temp_volume_id: null,
    temp_snapshot_id: null,
    num_dependent_backups: Number(backup.hasChildren),
    snapshot_id: backup.snapshotId,
    data_timestamp: backup.dataTimestamp === null ? null : isoMicros(backup.dataTimestamp),
    restore_volume_id: backup.restoreVolumeId,
    metadata: backup.metadata,
    encryption_key_id: null,
    created_at: isoMicros(backup.createdAt),
  };
  return { service: driverName, url: Buffer.from(JSON.stringify(record)).toString('base64') };
}

/** The payload of the job that ends an import. */
export interface ImportPayload {
  readonly service: string;
  readonly record: BackupRecord;
}

/**
 * Creates a backup from a record, in the actor's project. A job reads the other fields a moment
 * later.
 * @throws 400, 403, 404, 413
 */
export async function importRecord(
  context: Context,
  service: string,
  url: string,
): Promise<Backup> {
  const { db, now, actor } = context;
  const projectId = projectOf(context);
  await checkServed(context);
  const record = decoded(url);
  if (!Object.hasOwn(record, 'id')) throw invalidInput('Provided backup record is missing an id');
  if (!Object.hasOwn(record, 'size'))
    throw invalidInput('Provided backup record is missing size attribute');
  const { id, size } = record;
  if (typeof id !== 'string' || !isUuidLike(id) || !Number.isSafeInteger(size))
    throw invalidInput("Can't parse backup record.");
  if (await findBackup(db, id)) throw invalidBackup('Backup already exists in database.');
  await reserveBackup(context, projectId, Number(size));
  const backup: Backup = {
    id,
    projectId,
    userId: actor.userId,
    name: null,
    description: null,
    volumeId: unknownVolume,
    snapshotId: null,
    parentId: null,
    size: Number(size),
    status: 'creating',
    failReason: null,
    container: null,
    objectCount: 0,
    availabilityZone: null,
    dataTimestamp: null,
    content: noContent,
    restoreVolumeId: null,
    revision: 0,
    createdAt: now,
    updatedAt: null,
    metadata: {},
    hasChildren: false,
  };
  await insertBackup(db, backup);
  const payload: ImportPayload = { service, record };
  await scheduleForBackup(context, 'volume.backup_imported', backup, payload);
  return backup;
}

/** Whether a text is base64, with blanks anywhere but among the signs at its end. */
export const isBase64 = (text: string): boolean => /^[A-Za-z0-9+/\s]*(?:={1,2}\s*)?$/.test(text);

/** Decodes a record. @throws 400 */
function decoded(url: string): BackupRecord {
  try {
    const record = JSON.parse(Buffer.from(url, 'base64').toString()) as unknown;
    if (typeof record === 'object' && record !== null) return record as BackupRecord;
  } catch {
    // The error below also tells of JSON that is not an object.
  }
  throw invalidInput("Can't parse backup record.");
}

const requiredFields = [
  'display_name',
  'display_description',
  'container',
  'size',
  'service_metadata',
  'object_count',
  'id',
];

/** Ends an import: the backup gets the fields of the record, or the reason of a failure. */
export async function endImport(
  { db, now }: Context,
  backup: Backup,
  { service, record }: ImportPayload,
): Promise<void> {
  const missing = requiredFields.filter((name) => !Object.hasOwn(record, name));
  const failReason = !driverName.startsWith(service)
    ? 'Import record failed, cannot find backup service to perform the import. Request service ' +
      `${service}.`
    : missing.length
      ? 'Driver successfully decoded imported backup data, but there are missing fields ' +
        `(${missing.join(', ')}).`
      : undefined;
  if (failReason !== undefined) {
    await updateBackup(db, backup, { status: 'error', failReason }, now);
    return;
  }
  await updateBackup(
    db,
    backup,
    {
      name: textOf(record['display_name']),
      description: textOf(record['display_description']),
      volumeId: textOf(record['volume_id']) ?? unknownVolume,
      snapshotId: textOf(record['snapshot_id']),
      parentId: textOf(record['parent_id']),
      container: textOf(record['container']),
      objectCount: Number.isSafeInteger(record['object_count'])
        ? Number(record['object_count'])
        : 0,
      dataTimestamp: parseIsoTime(String(record['data_timestamp'])) ?? null,
      availabilityZone: zone,
      content: contentOf(record['driver_info']),
      metadata: textsOf(record['metadata']),
      status: 'available',
    },
    now,
  );
}

/** The most characters of a text in the table of backups. */
const longest = 255;

const textOf = (value: unknown): string | null =>
  typeof value === 'string' ? value.slice(0, longest) : null;

const textsOf = (value: unknown): Metadata =>
  Object.fromEntries(
    Object.entries((value ?? {}) as Record<string, unknown>).map(([name, text]) => [
      name.slice(0, longest),
      String(text).slice(0, longest),
    ]),
  );

/** What a record of Cumulet says of the volume; nothing for that of another Cinder. */
function contentOf(driverInfo: unknown): BackupContent {
  const { content } = (driverInfo ?? {}) as { readonly content?: Partial<BackupContent> };
  return {
    name: textOf(content?.name),
    description: textOf(content?.description),
    metadata: textsOf(content?.metadata),
    imageMetadata: textsOf(content?.imageMetadata),
  };
}
