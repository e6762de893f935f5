// The handlers of backups: list, show, create, update, delete, restore, export and import.
// Upstream: cinder/api/contrib/backups.py and cinder/api/v3/backups.py.
import { badRequest } from '../../../../kernel/errors.ts';
import { accepted, created, ok, reply } from '../../../../kernel/http/reply.ts';
import type { Actions, Reply } from '../../../../kernel/model.ts';
import { isTrue } from '../../../../kernel/oslo/booleans.ts';
import type { VolumeCall } from '../../call.ts';
import {
  changeBackup,
  createBackup,
  listBackups,
  removeBackup,
  resetBackupStatus,
  settableStatus,
} from '../../domain/backups/backups.ts';
import { exportRecord, importRecord, isBase64 } from '../../domain/backups/records.ts';
import { restoreBackup } from '../../domain/backups/restore.ts';
import { acquireQuotaLock } from '../../domain/quotas.ts';
import { pageLimitsOf } from '../../domain/settings.ts';
import { snapshotFor } from '../../domain/snapshots.ts';
import { volumeFor } from '../../domain/volumes/volumes.ts';
import type { Backup, Metadata } from '../../model.ts';
import { authorize } from '../../policy.ts';
import type { VolumeVersion } from '../../versions.ts';
import { backupDetail, backupSummary, restoreView } from '../../views/backups.ts';
import { nextLink } from '../../views/links.ts';
import { actionFields } from '../requests/actions.ts';
import { bodyOf, changedTexts, trimmed, type Fields } from '../requests/body.ts';
import { backupFields } from '../requests/list-fields.ts';
import { isBoolString, readListQuery, versionedList } from '../requests/list-query.ts';
import { backupOf } from '../requests/subjects.ts';

/** GET /v3/backups */
export const list = (call: VolumeCall): Promise<Reply> =>
  listed(call, 'backups', (backup) => backupSummary(call, backup));

/** GET /v3/backups/detail */
export const listDetail = (call: VolumeCall): Promise<Reply> =>
  listed(call, 'backups/detail', (backup) => backupDetail(call, backup));

async function listed(
  call: VolumeCall,
  collection: string,
  view: (backup: Backup) => object,
): Promise<Reply> {
  const { version, query } = call;
  const limits = await pageLimitsOf(call);
  const options = versionedList(call, { withCount: version.has('3.45') });
  // Backups are sorted by `display_name`, and from 3.37 on also by `name`.
  const sortable = version.has('3.37')
    ? ({ ...backupFields.sortable, name: 'name' } as const)
    : backupFields.sortable;
  const request = readListQuery(query, { ...backupFields, sortable }, options, limits);
  authorize(call, 'backup:get_all');
  const allTenants = query.last('all_tenants');
  if (allTenants !== undefined && !isBoolString(allTenants))
    throw badRequest(`all_tenants must be a boolean, got '${allTenants}'.`);
  const { backups, count } = await listBackups(call, request);
  const link = nextLink(call, collection, 'backups_links', backups, limits);
  return ok({ backups: backups.map(view), ...link, ...(count === undefined ? {} : { count }) });
}

/** GET /v3/backups/{backup_id} */
export async function show(call: VolumeCall): Promise<Reply> {
  return ok({ backup: backupDetail(call, await backupOf(call)) });
}

interface BackupBody extends Fields {
  readonly volume_id: string;
  readonly snapshot_id?: string | null;
  readonly container?: string | null;
  readonly incremental?: unknown;
  readonly force?: unknown;
  readonly metadata?: Metadata | null;
  readonly availability_zone?: string | null;
}

/** POST /v3/backups */
export async function create(call: VolumeCall): Promise<Reply> {
  await acquireQuotaLock(call);
  const fields = bodyOf<BackupBody>(call, 'backup');
  const volume = await volumeFor(call, fields.volume_id);
  authorize(call, 'backup:create', volume.projectId);
  const snapshot = fields.snapshot_id ? await snapshotFor(call, fields.snapshot_id) : undefined;
  const backup = await createBackup(call, volume, snapshot, {
    name: trimmed(fields, 'name') ?? null,
    description: trimmed(fields, 'description') ?? null,
    container: fields.container || null,
    isIncremental: isTrue(fields.incremental),
    force: isTrue(fields.force),
    availabilityZone: fields.availability_zone ?? null,
    metadata: fields.metadata ?? {},
  });
  return accepted({ backup: backupSummary(call, backup) });
}

/** PUT /v3/backups/{backup_id} */
export async function update(call: VolumeCall): Promise<Reply> {
  const fields = bodyOf(call, 'backup');
  const backup = await backupOf(call);
  authorize(call, 'backup:update', backup.projectId);
  const metadata = fields['metadata'] as Metadata | undefined;
  const changed = await changeBackup(call, backup, {
    ...changedTexts(fields),
    ...(metadata ? { metadata } : {}),
  });
  return ok({ backup: backupSummary(call, changed) });
}

/** DELETE /v3/backups/{backup_id} */
export async function remove(call: VolumeCall): Promise<Reply> {
  const backup = await backupOf(call);
  authorize(call, 'backup:delete', backup.projectId);
  await removeBackup(call, backup);
  return reply(202);
}

/** POST /v3/backups/{backup_id}/restore */
export async function restore(call: VolumeCall): Promise<Reply> {
  await acquireQuotaLock(call);
  const fields = bodyOf(call, 'restore');
  const backup = await backupOf(call);
  authorize(call, 'backup:restore', backup.projectId);
  const volume = await restoreBackup(call, backup, {
    volumeId: (fields['volume_id'] ?? null) as string | null,
    name: (fields['name'] ?? null) as string | null,
  });
  return accepted({ restore: restoreView(backup, volume) });
}

/** GET /v3/backups/{backup_id}/export_record */
export async function exportTo(call: VolumeCall): Promise<Reply> {
  const backup = await backupOf(call);
  authorize(call, 'backup:export-import', backup.projectId);
  const { service, url } = await exportRecord(call, backup);
  return ok({ 'backup-record': { backup_service: service, backup_url: url } });
}

interface RecordBody {
  readonly backup_service: string;
  readonly backup_url: string;
}

/** POST /v3/backups/import_record */
export async function importFrom(call: VolumeCall): Promise<Reply> {
  await acquireQuotaLock(call);
  const fields = bodyOf<RecordBody>(call, 'backup-record');
  const { backup_service: service, backup_url: url } = fields;
  if (!isBase64(url))
    throw badRequest(
      `Invalid input for field/attribute backup_url. Value: ${url}. '${url}' is not a 'base64'`,
    );
  authorize(call, 'backup:backup-import');
  const backup = await importRecord(call, service, url);
  return created({ backup: backupSummary(call, backup) });
}

const rule = (name: string): string => `volume_extension:backup_admin_actions:${name}`;

/** POST /v3/backups/{backup_id}/action */
export const backupActions: Actions<VolumeVersion> = {
  async 'os-reset_status'(call: VolumeCall) {
    const status = settableStatus(String(actionFields(call)['status']));
    const backup = await backupOf(call);
    authorize(call, rule('reset_status'), backup.projectId);
    await resetBackupStatus(call, backup, status);
    return reply(202);
  },
  async 'os-force_delete'(call: VolumeCall) {
    const backup = await backupOf(call);
    authorize(call, rule('force_delete'), backup.projectId);
    authorize(call, 'backup:delete', backup.projectId);
    await removeBackup(call, backup, { force: true });
    return reply(202);
  },
};
