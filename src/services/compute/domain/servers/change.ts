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

/** What a request changes of a server. */
interface ServerChange {
  readonly context: Context;
  readonly server: Server;
  readonly changes: ServerChanges;
}

/**
 * Updates servers at the revisions that were read: one statement for all that get the same changes.
 * @param changed in one transaction, at one time
 * @returns the servers in the order of `changed`
 * @throws SerializationFailure if another transaction has changed one of them since
 */
export async function changeServers(changed: readonly ServerChange[]): Promise<Server[]> {
  const all = new Map<Server, Server>();
  for (const same of grouped(changed, ({ changes }) => JSON.stringify(changes)).values()) {
    const [{ context, changes }] = same as [ServerChange];
    const servers = same.map(({ server }) => server);
    const after = await updateServers(context.db, servers, changes, context.now);
    for (const [index, one] of same.entries()) {
      await notifyChange(one.context, one.server, after[index]!);
      all.set(one.server, after[index]!);
    }
  }
  return changed.map(({ server }) => all.get(server)!);
}
