// What becomes of volumes and snapshots when their time has come.
import type { Micros } from '../../kernel/clock.ts';
import { deleteSnapshot, findSnapshot, snapshotsOf, updateSnapshot } from './store/snapshots.ts';
import { deleteVolume, findVolume, updateVolume } from './store/volumes.ts';
import { findType } from './store/types.ts';
import { tellNoBackend } from './domain/messages.ts';
import type { Volume } from './domain/records.ts';
import { endRetype } from './domain/retype.ts';
import { poolFor } from './domain/scheduling.ts';
import type { Db } from '../../kernel/db/database.ts';
import type { Job } from '../../kernel/model.ts';

interface Due {
  readonly db: Db;
  readonly now: Micros;
}

/** Changes a volume that is still as the job expects it; an administrator may have reset it. */
async function settle(
  { db, now }: Due,
  { subject }: Job,
  expected: string,
  change: (volume: Volume) => Partial<Volume>,
): Promise<void> {
  const volume = await findVolume(db, subject);
  if (volume?.status === expected) await updateVolume(db, volume, change(volume), now);
}

export const volumeJobs = {
  async 'volume.created'(due: Due, job: Job): Promise<void> {
    const { db, now } = due;
    const { bootable, requestId = '' } = job.payload as { bootable: boolean; requestId?: string };
    const volume = await findVolume(db, job.subject);
    if (volume?.status !== 'creating') return;
    const host = await poolFor(db, (await findType(db, { id: volume.typeId }))!);
    if (host !== undefined) return settle(due, job, 'creating', () => ({ status: 'available', host, bootable }));
    await settle(due, job, 'creating', () => ({ status: 'error' }));
    await tellNoBackend(db, { projectId: volume.projectId, volumeId: volume.id, requestId }, now);
  },

  async 'volume.retyped'({ db, now }: Due, { subject, payload }: Job): Promise<void> {
    const volume = await findVolume(db, subject);
    if (volume?.status === 'retyping') await endRetype(db, volume, payload as { typeId: string; policy: string }, now);
  },

  'volume.extended': (due: Due, job: Job): Promise<void> =>
    settle(due, job, 'extending', ({ previousStatus }) => ({
      status: previousStatus ?? 'available',
      previousStatus: null,
      size: (job.payload as { size: number }).size,
    })),

  'volume.uploaded': (due: Due, job: Job): Promise<void> =>
    settle(due, job, 'uploading', ({ previousStatus }) => ({ status: previousStatus ?? 'available', previousStatus: null })),

  async 'volume.reverted'(due: Due, job: Job): Promise<void> {
    await settle(due, job, 'reverting', () => ({ status: 'available' }));
    const snapshot = await findSnapshot(due.db, (job.payload as { snapshotId: string }).snapshotId);
    if (snapshot?.status === 'restoring') await updateSnapshot(due.db, snapshot, { status: 'available' }, due.now);
  },

  async 'volume.deleted'({ db }: Due, { subject }: Job): Promise<void> {
    const volume = await findVolume(db, subject);
    if (volume?.status !== 'deleting') return;
    for (const snapshot of await snapshotsOf(db, subject)) await deleteSnapshot(db, snapshot.id);
    await deleteVolume(db, subject);
  },

  async 'volume.snapshot_created'({ db, now }: Due, { subject }: Job): Promise<void> {
    const snapshot = await findSnapshot(db, subject);
    if (snapshot?.status === 'creating') await updateSnapshot(db, snapshot, { status: 'available', progress: '100%' }, now);
  },

  async 'volume.snapshot_deleted'({ db }: Due, { subject }: Job): Promise<void> {
    const snapshot = await findSnapshot(db, subject);
    if (snapshot?.status === 'deleting') await deleteSnapshot(db, subject);
  },
};
