// Snapshots in replies, at the version of the request.
import type { Snapshot } from '../model.ts';
import { may } from '../policy.ts';
import { timeOrNull, timeView } from './times.ts';
import type { VolumeCall } from '../call.ts';

export const snapshotSummary = (snapshot: Snapshot): object => ({
  id: snapshot.id,
  created_at: timeView(snapshot.createdAt),
  updated_at: timeOrNull(snapshot.updatedAt),
  name: snapshot.name,
  description: snapshot.description,
  volume_id: snapshot.volumeId,
  status: snapshot.status,
  size: snapshot.size,
  metadata: snapshot.metadata,
});

/** The form in replies to POST and PUT. */
export const snapshotDetail = ({ version }: VolumeCall, snapshot: Snapshot): object => ({
  ...snapshotSummary(snapshot),
  ...version.since('3.14', { group_snapshot_id: snapshot.groupSnapshotId }),
  ...version.since('3.41', { user_id: snapshot.userId }),
  ...version.since('3.65', { consumes_quota: true }),
});

/** The form in replies to GET. */
export const snapshotFull = (call: VolumeCall, snapshot: Snapshot): object => ({
  ...snapshotDetail(call, snapshot),
  ...(may(call, 'volume_extension:extended_snapshot_attributes', snapshot.projectId)
    ? {
        'os-extended-snapshot-attributes:project_id': snapshot.projectId,
        'os-extended-snapshot-attributes:progress': snapshot.progress,
      }
    : {}),
});
