// The rules of snapshots.
import type { Micros } from '../../../kernel/clock.ts';
import { newUuid } from '../../../kernel/ids.ts';
import { schedule } from '../../../kernel/jobs.ts';
import { insertSnapshot, updateSnapshot } from '../store/snapshots.ts';
import { claim } from './quotas.ts';
import type { Metadata, Snapshot, Viewer, Volume } from './records.ts';
import { invalidSnapshot, invalidVolume } from './refusals.ts';
import type { Db } from '../../../kernel/db/database.ts';

/** How long making and deleting takes: the next request finds it done. */
const latency: Micros = 0;

export interface SnapshotRequest {
  readonly name?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly metadata?: Metadata | null | undefined;
  /** Also of a volume that is attached. */
  readonly inUse: boolean;
}

/** Makes a snapshot of a volume; it is available once its job is done. @throws 400, 413 */
export async function createSnapshot(
  db: Db,
  viewer: Viewer & { projectId: string },
  volume: Volume,
  request: SnapshotRequest,
  now: Micros,
): Promise<Snapshot> {
  const valid = request.inUse ? ['available', 'in-use'] : ['available'];
  if (!valid.includes(volume.status))
    throw invalidVolume(`Volume ${volume.id} status must be ${valid.join(', ')}, but current status is: ${volume.status}.`);
  await claim(db, { projectId: viewer.projectId, typeName: volume.typeName, snapshots: 1, gigabytes: volume.size });
  const snapshot: Snapshot = {
    id: newUuid(),
    volumeId: volume.id,
    projectId: viewer.projectId,
    userId: viewer.userId,
    name: request.name ?? null,
    description: request.description ?? null,
    size: volume.size,
    status: 'creating',
    progress: '0%',
    typeId: volume.typeId,
    revision: 0,
    createdAt: now,
    updatedAt: null,
    metadata: request.metadata ?? {},
  };
  await insertSnapshot(db, snapshot);
  await schedule(db, { dueAt: now + latency, kind: 'volume.snapshot_created', subject: snapshot.id });
  return snapshot;
}

/** Begins to delete a snapshot. @throws 400 */
export async function removeSnapshot(db: Db, snapshot: Snapshot, force: boolean, now: Micros): Promise<void> {
  if (!force && !['available', 'error'].includes(snapshot.status))
    throw invalidSnapshot('Snapshot status must be available or error and must not be part of a group.');
  await updateSnapshot(db, snapshot, { status: 'deleting' }, now);
  await schedule(db, { dueAt: now + latency, kind: 'volume.snapshot_deleted', subject: snapshot.id });
}
