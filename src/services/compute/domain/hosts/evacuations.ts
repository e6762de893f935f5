// Cleans up hosts that are up again: deletes the allocations of the servers that were evacuated
// from them. Upstream: compute/manager.py _destroy_evacuated_instances.
import type { Context } from '../../../../kernel/model.ts';
import { allocationsOf, rootsOf, setAllocations } from '../../clients/placement.ts';
import {
  completeEvacuations,
  openMigrations,
  requireKnownEvacuations,
} from '../../store/servers/migrations.ts';
import { bumpServerRevision, findServer } from '../../store/servers/servers.ts';
import type { ComputeHost, Server } from '../../model.ts';

/**
 * Completes the evacuations from a host that is up again, where the evacuated servers still have
 * allocations.
 */
export async function endEvacuations(
  context: Context,
  { name, uuid: provider }: Pick<ComputeHost, 'name' | 'uuid'>,
): Promise<void> {
  // The job of an evacuation that has just been accepted may be due, and due jobs run before
  // requests. A new transaction sees the job.
  await requireKnownEvacuations(context.db, name);
  for (const { serverUuid } of await completeEvacuations(context.db, name, context.now)) {
    const server = await findServer(context.db, serverUuid);
    if (!server) continue;
    // If the evacuation finished after this transaction's first read, the server has changed since
    // too, and this transaction starts over.
    await bumpServerRevision(context.db, server);
    if (server.host !== name) await release(context, server, provider);
  }
}

/** Deletes the allocations of a server and of its open migrations on the tree of a host. */
async function release(
  context: Context,
  { uuid, projectId, userId }: Server,
  root: string,
): Promise<void> {
  const consumers = [
    uuid,
    ...(await openMigrations(context.db, [uuid])).map((migration) => migration.uuid),
  ];
  const allocationsBefore = await allocationsOf(context, consumers);
  for (const consumer of consumers) {
    const before = allocationsBefore.get(consumer);
    if (!before) continue;
    const roots = await rootsOf(context, [...before.keys()]);
    const allocations = new Map([...before].filter(([provider]) => roots.get(provider) !== root));
    if (allocations.size === before.size) continue;
    await setAllocations(context, [{ consumer, projectId, userId, allocations }]);
  }
}
