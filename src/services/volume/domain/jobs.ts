// What becomes of volumes and snapshots when their time has come.
import type { Db } from '../../../kernel/db/open.ts';
import type { Micros } from '../../../kernel/clock.ts';
import type { Job } from '../../../kernel/jobs.ts';
import { deleteSnapshot, findSnapshot, snapshotsOf, updateSnapshot } from '../store/snapshots.ts';
import { deleteVolume, findVolume, updateVolume } from '../store/volumes.ts';
import { backend, type Volume } from './records.ts';

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
  'volume.created': (due: Due, job: Job): Promise<void> =>
    settle(due, job, 'creating', () => ({
      status: 'available',
      host: backend,
      bootable: (job.payload as { bootable: boolean }).bootable,
    })),

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
