// The rows that are kept of deleted servers, and their end.
import type { Micros } from '../../../../kernel/clock.ts';
import type { Db } from '../../../../kernel/db/database.ts';

/** How many servers one statement is about. */
const most = 500;

/** Deletes all rows of the servers that were deleted before a time. @returns how many servers */
export async function purgeServers(db: Db, before: Micros): Promise<number> {
  let count = 0;
  for (;;) {
    const gone = (await db('compute_servers')
      .where('deleted_at', '<', before)
      .orderBy('id')
      .limit(most)
      .pluck('uuid')) as string[];
    if (!gone.length) return count;
    const actions = db('compute_server_actions').whereIn('server_uuid', gone).select('id');
    await db('compute_server_events').whereIn('action_id', actions).delete();
    for (const name of ['actions', 'migrations', 'volumes', 'interfaces', 'group_members'])
      await db(`compute_server_${name}`).whereIn('server_uuid', gone).delete();
    await db('compute_servers').whereIn('uuid', gone).delete();
    count += gone.length;
  }
}

/**
 * When the server was deleted that has been deleted for the longest time; undefined where none is
 * kept.
 */
export async function oldestDeletion(db: Db): Promise<Micros | undefined> {
  const [row] = (await db('compute_servers').min('deleted_at as oldest')) as {
    oldest: number | null;
  }[];
  return row?.oldest === null || row === undefined ? undefined : Number(row.oldest);
}
