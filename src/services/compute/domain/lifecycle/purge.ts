// Purges the rows that are kept of deleted servers. Upstream: nova-manage db archive_deleted_rows,
// and purge.
import { SECOND, type Micros } from '../../../../kernel/clock.ts';
import { isScheduled, schedule } from '../../../../kernel/jobs/queue.ts';
import type { Context } from '../../../../kernel/model.ts';
import { purgeConsoleTokens } from '../../store/servers/console-tokens.ts';
import { oldestDeletion, purgeServers } from '../../store/servers/purge.ts';

/** The kind of the purge job. A region needs at most one such job at a time. */
export const purgeKind = 'compute.purge';

/** The shortest time between two purges, so that each has enough rows to delete. */
const purgeInterval = 3600 * SECOND;

/**
 * Schedules the purge of a server that is being deleted, for the end of its retention period.
 */
export async function schedulePurge({ cloud, db, now }: Context): Promise<void> {
  if (await isScheduled(db, purgeKind)) return;
  await schedule(db, { dueAt: now + cloud.config.keepDeleted, kind: purgeKind, subject: '' });
}

/**
 * Purges the servers that were deleted before a time, and the tokens of consoles that expired
 * before it. @returns how many servers
 */
export async function purgeDeleted({ db }: Context, before: Micros): Promise<number> {
  await purgeConsoleTokens(db, before);
  return purgeServers(db, before);
}

/** Purges the servers whose retention period has ended, and schedules the next purge. */
export async function runPurge({ cloud, db, now }: Context): Promise<void> {
  const { keepDeleted } = cloud.config;
  await purgeServers(db, now - keepDeleted + 1);
  const oldest = await oldestDeletion(db);
  if (oldest === undefined) return;
  await schedule(db, {
    dueAt: Math.max(oldest + keepDeleted, now + purgeInterval),
    kind: purgeKind,
    subject: '',
  });
}
