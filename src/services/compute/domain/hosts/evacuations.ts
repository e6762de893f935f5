// Hosts that come back: what the servers that were evacuated meanwhile have left there goes.
// Upstream: compute/manager.py _destroy_evacuated_instances.
import type { Context } from '../../../../kernel/model.ts';
import { allocationsOf, setAllocations } from '../../clients/placement.ts';
import { completeEvacuations, openMigrations } from '../../store/servers/migrations.ts';
import { bumpServerRevision, findServer } from '../../store/servers/servers.ts';
import type { ComputeHost, Server } from '../../model.ts';

/**
 * Completes the evacuations from a host that is back: until now the servers have allocations there
 * too.
 */
export async function endEvacuations(
  context: Context,
  { name, uuid: provider }: Pick<ComputeHost, 'name' | 'uuid'>,
): Promise<void> {
  for (const { serverUuid } of await completeEvacuations(context.db, name, context.now)) {
    const server = await findServer(context.db, serverUuid);
    if (!server) continue;
    // The evacuation may have ended after this transaction's first read: then the server is no
    // longer as it was read, either.
    await bumpServerRevision(context.db, server);
    if (server.host !== name) await release(context, server, provider);
  }
}

/** Deletes the allocations of a server on a provider, also those that a move keeps for it. */
async function release(
  context: Context,
  { uuid, projectId, userId }: Server,
  provider: string,
): Promise<void> {
  const consumers = [
    uuid,
    ...(await openMigrations(context.db, [uuid])).map((migration) => migration.uuid),
  ];
  const held = await allocationsOf(context, consumers);
  for (const consumer of consumers) {
    const own = held.get(consumer);
    if (!own?.has(provider)) continue;
    const allocations = new Map([...own].filter(([at]) => at !== provider));
    await setAllocations(context, [{ consumer, projectId, userId, allocations }]);
  }
}
