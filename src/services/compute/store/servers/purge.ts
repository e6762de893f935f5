// Deletes the rows that are kept of deleted servers.
import type { Micros } from '../../../../kernel/clock.ts';
import type { Db } from '../../../../kernel/db/database.ts';

/** The number of servers that one statement deletes. */
const batchSize = 500;

/** Deletes all rows of the servers that were deleted before a time. @returns how many servers */
export async function purgeServers(db: Db, before: Micros): Promise<number> {
  let count = 0;
  for (;;) {
    const uuids: string[] = await db('compute_servers')
      .where('deleted_at', '<', before)
      .orderBy('id')
      .limit(batchSize)
      .pluck('uuid');
    if (!uuids.length) return count;
    await deleteServerRows(db, uuids);
    count += uuids.length;
  }
}

/** Deletes all rows of a deleted server, if they are still stored. */
export async function purgeServer(db: Db, uuid: string): Promise<void> {
  const deleted = db('compute_servers').where({ uuid }).whereNotNull('deleted_at');
  if (await deleted.first('uuid')) await deleteServerRows(db, [uuid]);
}

/** Deletes all rows of some servers, at most 500. */
export async function deleteServerRows(db: Db, uuids: readonly string[]): Promise<void> {
  const actions = db('compute_server_actions').whereIn('server_uuid', uuids).select('id');
  await db('compute_server_events').whereIn('action_id', actions).delete();
  for (const name of ['actions', 'migrations', 'volumes', 'interfaces', 'group_members'])
    await db(`compute_server_${name}`).whereIn('server_uuid', uuids).delete();
  await db('compute_console_tokens').whereIn('server_uuid', uuids).delete();
  await db('compute_servers').whereIn('uuid', uuids).delete();
}

/** The earliest deletion time of a deleted server that is still stored; undefined without any. */
export async function oldestDeletion(db: Db): Promise<Micros | undefined> {
  const [row]: { oldest: number | string | null }[] =
    await db('compute_servers').min('deleted_at as oldest');
  return row?.oldest == null ? undefined : Number(row.oldest);
}
