// Changes servers, and reports the changes.
import { grouped } from '../../../../kernel/db/grouping.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { Server, ServerChanges } from '../../model.ts';
import { updateServer, updateServers } from '../../store/servers/servers.ts';
import { notifyChange } from './notifications.ts';

/**
 * Updates a server at the revision that was read.
 * @throws SerializationFailure if another transaction has changed the server since
 */
export async function changeServer(
  context: Context,
  server: Server,
  changes: ServerChanges,
): Promise<Server> {
  const changed = await updateServer(context.db, server, changes, context.now);
  await notifyChange(context, server, changed);
  return changed;
}

/**
 * Updates servers at the revisions that were read: one statement for all that get the same changes.
 * @throws SerializationFailure if another transaction has changed one of them since
 */
export async function changeServers(
  context: Context,
  changed: readonly { readonly server: Server; readonly changes: ServerChanges }[],
): Promise<Server[]> {
  const all: Server[] = [];
  for (const same of grouped(changed, ({ changes }) => JSON.stringify(changes)).values()) {
    const servers = same.map(({ server }) => server);
    const after = await updateServers(context.db, servers, same[0]!.changes, context.now);
    for (const [index, server] of servers.entries())
      await notifyChange(context, server, after[index]!);
    all.push(...after);
  }
  return all;
}
