// What a backend has: a logical volume for each volume and snapshot, those that Volume manages
// and those that it does not. Upstream: cinder/volume/drivers/lvm.py.
import { isUuidLike } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import { listBackendObjects } from '../../store/backend-objects.ts';
import { snapshotsAtBackend } from '../../store/snapshots.ts';
import { findVolume, volumesAtBackend } from '../../store/volumes.ts';
import type { BackendObject, BackendObjectKind } from '../../model.ts';
import type { Backend } from './backends.ts';

/** The name of a volume at the backend. */
export const volumeNameAt = (id: string): string => `volume-${id}`;

/** The name of a snapshot at the backend: LVM reserves names that begin with `snapshot`. */
export const snapshotNameAt = (id: string): string => `_snapshot-${id}`;

/** An object at the backend, and the volume or snapshot that it is. */
export interface ListedObject extends BackendObject {
  /** Null if Volume does not manage it. */
  readonly managedBy: string | null;
}

/** Lists the volumes or the snapshots at a backend. */
export async function objectsAtBackend(
  { db }: Pick<Context, 'db'>,
  { pool: host }: Backend,
  kind: BackendObjectKind,
): Promise<ListedObject[]> {
  const managed =
    kind === 'volume'
      ? (await volumesAtBackend(db, host)).map(({ id, size }) => ({
          host,
          name: volumeNameAt(id),
          kind,
          size,
          source: null,
          managedBy: id,
        }))
      : (await snapshotsAtBackend(db, host)).map(({ id, size, volumeId }) => ({
          host,
          name: snapshotNameAt(id),
          kind,
          size,
          source: volumeNameAt(volumeId),
          managedBy: id,
        }));
  const others = await listBackendObjects(db, host, kind);
  return [...managed, ...others.map((one) => ({ ...one, managedBy: null }))];
}

/** Whether a name at the backend is that of a volume that exists. */
export async function isManagedVolume({ db }: Pick<Context, 'db'>, name: string): Promise<boolean> {
  const [, id] = /^volume-(.+)$/.exec(name) ?? [];
  return id !== undefined && isUuidLike(id) && (await findVolume(db, id)) !== undefined;
}
