// Views of volumes and snapshots in the proxies. Upstream: api/openstack/compute/volumes.py and
// snapshots.py.
import type { CinderSnapshot, CinderVolume } from '../../clients/volume.ts';

/**
 * A volume with at most one of its attachments. For a volume without attachments, upstream shows an
 * empty object.
 */
export function volumeView(volume: CinderVolume): object {
  const { id, attachments } = volume;
  const [first] = attachments;
  return {
    id,
    status: volume.status,
    size: volume.size,
    availabilityZone: volume.availability_zone,
    createdAt: volume.created_at,
    attachments: [
      first
        ? {
            id,
            volumeId: id,
            serverId: first.server_id,
            ...(first.device ? { device: first.device } : {}),
          }
        : {},
    ],
    displayName: volume.name,
    displayDescription: volume.description,
    volumeType: volume.volume_type,
    snapshotId: volume.snapshot_id,
    metadata: volume.metadata,
  };
}

export const snapshotView = (snapshot: CinderSnapshot): object => ({
  id: snapshot.id,
  volumeId: snapshot.volume_id,
  status: snapshot.status,
  size: snapshot.size,
  createdAt: snapshot.created_at,
  displayName: snapshot.name,
  displayDescription: snapshot.description,
});
