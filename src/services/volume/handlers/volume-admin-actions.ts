// The actions of a volume that are for administrators, and going back to a snapshot.
import { badRequest, conflict } from '../../../kernel/fault.ts';
import { detachVolume, removeAttachment } from '../domain/attachments.ts';
import type { Volume } from '../domain/records.ts';
import { removeVolume, revertVolume } from '../domain/volumes.ts';
import { snapshotsOf } from '../store/snapshots.ts';
import { updateVolume } from '../store/volumes.ts';
import { allow, isService } from './requests.ts';
import type { Action } from './volume-actions.ts';

const rule = (name: string): string => `volume_extension:volume_admin_actions:${name}`;

const statuses = [
  'creating', 'available', 'deleting', 'error', 'error_deleting', 'error_managing', 'managing', 'attaching', 'in-use', 'detaching',
  'maintenance', 'restoring-backup', 'error_restoring', 'reserved', 'awaiting-transfer', 'backing-up', 'error_backing-up',
  'error_extending', 'downloading', 'uploading', 'retyping', 'extending',
]; // prettier-ignore
const migrationStatuses = ['migrating', 'error', 'success', 'completing', 'none', 'starting'];

/** @throws 400 where a status is none */
function known(what: string, given: unknown, valid: readonly string[]): string | undefined {
  const status = typeof given === 'string' && given ? given.toLowerCase() : undefined;
  if (status === undefined || valid.includes(status)) return status;
  const list = valid.map((one) => `'${one}'`).join(', ');
  throw badRequest(`Volume ${what}: ${String(given)} is invalid, valid statuses are: (${list}).`);
}

const resetStatus: Action = async (call, volume, fields) => {
  const status = known('status', fields['status'], statuses);
  const attachStatus = known('attach status', fields['attach_status'], ['attached', 'detached']);
  const migrationStatus = known('migration status', fields['migration_status'], migrationStatuses);
  if (!status && !attachStatus && !migrationStatus)
    throw badRequest("Must specify 'status', 'attach_status' or 'migration_status' for update.");
  allow(call, rule('reset_status'), volume.projectId);
  if (status === 'deleting') throw badRequest(`Cannot reset-state to ${status}`);
  if (status === 'in-use' && !volume.attachments.length)
    throw badRequest('Cannot reset-state to in-use because volume does not have any attachments.');
  const change: Partial<Volume> = {
    status: status ?? volume.status,
    ...(attachStatus ? { attachStatus } : {}),
    ...(migrationStatus ? { migrationStatus: migrationStatus === 'none' ? null : migrationStatus } : {}),
  };
  await updateVolume(call.db, volume, change, call.now);
  // Who says that it is attached nowhere takes the attachments away; the volume is available then.
  if (attachStatus === 'detached')
    for (const attachment of volume.attachments) await removeAttachment(call.db, attachment, call.now);
};

const revert: Action = async (call, volume, fields) => {
  const given = fields['snapshot_id'];
  const [latest] = await snapshotsOf(call.db, volume.id);
  if (!latest) throw badRequest(`Volume ${volume.id} doesn't have any snapshots.`);
  if (given !== latest.id)
    throw badRequest(`Specified snapshot ${String(given ?? 'None')} is None or not the latest one of volume ${volume.id}.`);
  const where = `Can't revert volume ${volume.id} to its latest snapshot`;
  if (volume.size !== latest.size) throw badRequest(`${where} ${latest.id}. The volume size must be equal to the snapshot size.`);
  allow(call, 'volume:revert_to_snapshot', volume.projectId);
  if (volume.status !== 'available')
    throw conflict(`Invalid volume: ${where} ${latest.id}. Volume's status must be 'available'.`);
  if (latest.status !== 'available')
    throw conflict(`Invalid snapshot: ${where} ${latest.id}. Snapshot's status must be 'available'.`);
  await revertVolume(call.db, volume, latest, call.now);
};

export const adminActions: Readonly<Record<string, Action>> = {
  'os-reset_status': resetStatus,

  'os-force_detach': async (call, volume, fields) => {
    allow(call, rule('force_detach'), volume.projectId);
    await detachVolume(call.db, volume, (fields['attachment_id'] ?? null) as string | null, isService(call), call.now);
  },

  'os-force_delete': async (call, volume) => {
    allow(call, rule('force_delete'), volume.projectId);
    await removeVolume(call.db, volume, { force: true }, call.now);
  },

  revert,
};
