// What is kept of deleted servers for the record, and when it goes. Upstream: nova-manage db
// archive_deleted_rows, and purge.
import { SECOND, type Micros } from '../../../../kernel/clock.ts';
import { isScheduled, schedule } from '../../../../kernel/jobs/queue.ts';
import type { Context } from '../../../../kernel/model.ts';
import { oldestDeletion, purgeServers } from '../../store/servers/purge.ts';

/** The kind of the job that purges: a region has at most one that is of use. */
export const purgeKind = 'compute.purge';

/** How long a purge waits at least for the next, so that it has something to do. */
const purgeEvery = 3600 * SECOND;

/**
 * Sees to it that a server which is being deleted is purged once it has been kept for long enough.
 */
export async function schedulePurge({ cloud, db, now }: Context): Promise<void> {
  if (await isScheduled(db, purgeKind)) return;
  await schedule(db, { dueAt: now + cloud.config.keepDeleted, kind: purgeKind, subject: '' });
}

/** Purges the servers that were deleted before a time. @returns how many */
export const purgeDeleted = ({ db }: Context, before: Micros): Promise<number> =>
  purgeServers(db, before);

/** Purges the servers that have been kept for long enough, and comes back for the others. */
export async function runPurge({ cloud, db, now }: Context): Promise<void> {
  const { keepDeleted } = cloud.config;
  await purgeServers(db, now - keepDeleted + 1);
  const oldest = await oldestDeletion(db);
  if (oldest === undefined) return;
  await schedule(db, {
    dueAt: Math.max(oldest + keepDeleted, now + purgeEvery),
    kind: purgeKind,
    subject: '',
  });
}
