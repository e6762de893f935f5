// Deletes old events, finished actions and results of remote tasks. Upstream: senlin-manage
// action_purge and event_purge.
import type { Micros } from '../../../kernel/clock.ts';
import type { Db } from '../../../kernel/db/database.ts';

/**
 * Deletes the events before a time, and the actions that ended before it. @returns their number
 */
export async function purgeHistory(db: Db, before: Micros): Promise<number> {
  const ended = ['SUCCEEDED', 'FAILED', 'CANCELLED'];
  const events = await db('clustering_events').where('timestamp', '<', before).delete();
  const actions = await db('clustering_actions')
    .whereIn('status', ended)
    .where('end_time', '<', before)
    .delete();
  await purgeRemoteTasks(db, before);
  return events + actions;
}

/** Deletes the results of remote tasks from before a time: their actions have read them. */
export async function purgeRemoteTasks(db: Db, before: Micros): Promise<void> {
  await db('clustering_remote_tasks').where('created_at', '<', before).delete();
}
