// The actions of snapshots, POST /v3/snapshots/{snapshot_id}/action. Upstream:
// cinder/api/contrib/{admin,snapshot}_actions.py.
import { badRequest } from '../../../../kernel/errors.ts';
import type { Actions } from '../../../../kernel/model.ts';
import { pythonTuple } from '../../../../kernel/oslo/python-repr.ts';
import {
  removeSnapshot,
  resetSnapshotStatus,
  unmanageSnapshot,
  updateSnapshotStatus,
} from '../../domain/snapshots.ts';
import { snapshotStatuses, type SnapshotStatus } from '../../model.ts';
import { authorize } from '../../policy.ts';
import type { VolumeVersion } from '../../versions.ts';
import { acceptedSnapshotAction } from '../requests/actions.ts';

/** Reads a status in lower case. @throws 400 */
function statusOf(value: unknown): SnapshotStatus {
  const status = String(value).toLowerCase();
  const known = snapshotStatuses.find((one) => one === status);
  if (known) return known;
  throw badRequest(
    `Snapshot status: ${status} is invalid, valid statuses are: ${pythonTuple(snapshotStatuses)}.`,
  );
}

/** Reads a progress such as `80%`; undefined if the request has none. @throws 400 */
function progressOf(value: unknown): string | undefined {
  if (!value) return undefined;
  const [, digits] = /^\s*([+-]?\d+)\s*.$/s.exec(String(value)) ?? [];
  if (digits === undefined)
    throw badRequest('Invalid input received: progress must be an integer percentage');
  if (Number(digits) < 0 || Number(digits) > 100 || !String(value).endsWith('%'))
    throw badRequest(
      'Invalid input received: progress must be an integer percentage between 0 and 100',
    );
  return String(value);
}

// Upstream checks the status and the progress before it enforces policy.
export const snapshotActions: Actions<VolumeVersion> = {
  'os-reset_status': acceptedSnapshotAction(undefined, async (call, snapshot, fields) => {
    const status = statusOf(fields['status']);
    authorize(call, 'volume_extension:snapshot_admin_actions:reset_status', snapshot.projectId);
    await resetSnapshotStatus(call, snapshot, status);
  }),
  'os-force_delete': acceptedSnapshotAction(
    'volume_extension:snapshot_admin_actions:force_delete',
    (call, snapshot) => removeSnapshot(call, snapshot, { force: true }),
  ),
  'os-unmanage': acceptedSnapshotAction(
    'snapshot_extension:snapshot_unmanage',
    async (call, snapshot) => {
      authorize(call, 'volume:delete_snapshot', snapshot.projectId);
      await unmanageSnapshot(call, snapshot);
    },
  ),
  'os-update_snapshot_status': acceptedSnapshotAction(undefined, async (call, snapshot, fields) => {
    const progress = progressOf(fields['progress']);
    authorize(
      call,
      'snapshot_extension:snapshot_actions:update_snapshot_status',
      snapshot.projectId,
    );
    await updateSnapshotStatus(call, snapshot, fields['status'] as string, progress);
  }),
};
