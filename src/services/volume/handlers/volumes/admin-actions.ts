// The actions of volumes for administrators, and the action `revert`. Upstream:
// cinder/api/contrib/admin_actions.py.
import { badRequest } from '../../../../kernel/errors.ts';
import { ok } from '../../../../kernel/http/reply.ts';
import { normalUuid } from '../../../../kernel/ids.ts';
import type { Actions } from '../../../../kernel/model.ts';
import { isTrue } from '../../../../kernel/oslo/booleans.ts';
import { pythonTuple } from '../../../../kernel/oslo/python-repr.ts';
import { detachVolume } from '../../domain/attachments.ts';
import {
  resetStatus,
  revertVolume,
  snapshotToRevertTo,
  type StatusReset,
} from '../../domain/volumes/status.ts';
import { completeMigration, migrateVolume } from '../../domain/volumes/migrate.ts';
import { removeVolume, unmanageVolume, volumeFor } from '../../domain/volumes/volumes.ts';
import { migrationStatuses, settableVolumeStatuses } from '../../model.ts';
import { authorize } from '../../policy.ts';
import type { VolumeVersion } from '../../versions.ts';
import { acceptedVolumeAction, volumeAction } from '../requests/actions.ts';
import type { Fields } from '../requests/body.ts';
import { hostOrCluster, type HostFields } from '../requests/hosts.ts';

const rule = (name: string): string => `volume_extension:volume_admin_actions:${name}`;

const settableAttachStatuses = ['attached', 'detached'] as const;
const settableMigrationStatuses = [...migrationStatuses, 'none'] as const;

/** Reads a status in lower case; undefined if the request has none. @throws 400 */
function statusOf<S extends string>(
  label: string,
  value: unknown,
  valid: readonly S[],
): S | undefined {
  if (typeof value !== 'string' || !value) return undefined;
  const status = valid.find((one) => one === value.toLowerCase());
  if (status) return status;
  throw badRequest(
    `Volume ${label}: ${value} is invalid, valid statuses are: ${pythonTuple(valid)}.`,
  );
}

/** Reads the statuses to set. @throws 400 if one is unknown, or the request has none */
function readReset(fields: Fields): StatusReset {
  const reset = {
    status: statusOf('status', fields['status'], settableVolumeStatuses),
    attachStatus: statusOf('attach status', fields['attach_status'], settableAttachStatuses),
    migrationStatus: statusOf(
      'migration status',
      fields['migration_status'],
      settableMigrationStatuses,
    ),
  };
  if (!reset.status && !reset.attachStatus && !reset.migrationStatus)
    throw badRequest("Must specify 'status', 'attach_status' or 'migration_status' for update.");
  return reset;
}

export const adminActions: Actions<VolumeVersion> = {
  // Upstream checks the statuses before it enforces policy.
  'os-reset_status': acceptedVolumeAction(undefined, async (call, volume, fields) => {
    const reset = readReset(fields);
    authorize(call, rule('reset_status'), volume.projectId);
    await resetStatus(call, volume, reset);
  }),
  'os-force_detach': acceptedVolumeAction(rule('force_detach'), (call, volume, fields) =>
    detachVolume(call, volume, (fields['attachment_id'] ?? null) as string | null),
  ),
  'os-force_delete': acceptedVolumeAction(rule('force_delete'), (call, volume) =>
    removeVolume(call, volume, { force: true }),
  ),
  'os-migrate_volume': acceptedVolumeAction(
    rule('migrate_volume'),
    async (call, volume, fields) => {
      const { host, cluster } = hostOrCluster(call, fields as HostFields, '3.16');
      if (!host) throw badRequest(`Invalid host: No available service named '${cluster}'`);
      await migrateVolume(call, volume, { host, locks: isTrue(fields['lock_volume'] ?? false) });
    },
  ),
  // Upstream finds the volume in the body after it enforces policy.
  'os-migrate_volume_completion': volumeAction(
    rule('migrate_volume_completion'),
    async (call, volume, fields) => {
      const target = await volumeFor(call, normalUuid(String(fields['new_volume'])));
      const id = await completeMigration(call, volume, target, Boolean(fields['error']));
      return ok({ save_volume_id: id });
    },
  ),
  'os-unmanage': acceptedVolumeAction('volume_extension:volume_unmanage', async (call, volume) => {
    authorize(call, 'volume:delete', volume.projectId);
    await unmanageVolume(call, volume);
  }),
  // Upstream finds the snapshot before it enforces policy.
  revert: {
    span: ['3.40'],
    handler: acceptedVolumeAction(undefined, async (call, volume, fields) => {
      const snapshot = await snapshotToRevertTo(call, volume, fields['snapshot_id']);
      authorize(call, 'volume:revert_to_snapshot', volume.projectId);
      await revertVolume(call, volume, snapshot);
    }),
  },
};
