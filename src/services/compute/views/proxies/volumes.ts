// Volumes and snapshots as Compute shows them. Upstream: api/openstack/compute/volumes.py and
// snapshots.py.

/** A volume as the Volume service shows it. */
export interface ShownVolume {
  readonly id: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly status: string;
  readonly size: number;
  readonly availability_zone: string;
  readonly created_at: string;
  readonly volume_type: string | null;
  readonly snapshot_id: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly attachments: readonly { readonly server_id: string; readonly device: string | null }[];
}

/**
 * A volume. Of several attachments one is shown; where there is none, upstream shows an empty
 * object.
 */
export function volumeView(volume: ShownVolume): object {
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

/** A snapshot as the Volume service shows it. */
export interface ShownSnapshot {
  readonly id: string;
  readonly volume_id: string;
  readonly status: string;
  readonly size: number;
  readonly created_at: string;
  readonly name: string | null;
  readonly description: string | null;
}

export const snapshotView = (snapshot: ShownSnapshot): object => ({
  id: snapshot.id,
  volumeId: snapshot.volume_id,
  status: snapshot.status,
  size: snapshot.size,
  createdAt: snapshot.created_at,
  displayName: snapshot.name,
  displayDescription: snapshot.description,
});
