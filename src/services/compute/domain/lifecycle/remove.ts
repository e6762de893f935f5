// Removes what belongs to a server: allocations, ports and volumes.
import type { Context } from '../../../../kernel/model.ts';
import { deleteSnapshot } from '../../clients/image.ts';
import { deleteAllocations } from '../../clients/placement.ts';
import { deleteConsoleTokens } from '../../store/servers/console-tokens.ts';
import { openMigrations, updateMigration } from '../../store/servers/migrations.ts';
import { changeServer } from '../servers/change.ts';
import type { Server } from '../../model.ts';
import { detachPorts } from '../servers/networks.ts';
import { notifyServer } from '../servers/notifications.ts';
import { power } from '../servers/states.ts';
import { detachAll } from '../servers/volumes.ts';
import { schedulePurge } from './purge.ts';

/** Deletes a server with its allocations, ports and volumes, and keeps its row until a purge. */
export async function removeServer(context: Context, server: Server): Promise<void> {
  const { db, now } = context;
  const { uuid } = server;
  for (const migration of await openMigrations(db, [uuid])) {
    await deleteAllocations(context, migration.uuid);
    await updateMigration(
      db,
      migration,
      { status: migration.status === 'finished' ? 'confirmed' : 'error' },
      now,
    );
  }
  await deleteAllocations(context, uuid);
  const last: Server = { ...server, taskState: server.taskState ?? 'deleting' };
  if (server.host !== null)
    await notifyServer(context, last, { action: 'shutdown', phase: 'start' });
  await detachPorts(context, uuid);
  await detachAll(context, uuid);
  if (server.host !== null) await notifyServer(context, last, { action: 'shutdown', phase: 'end' });
  await deleteConsoleTokens(db, uuid);
  if (server.shelvedImageId !== null) await deleteSnapshot(context, server.shelvedImageId);
  await schedulePurge(context);
  await changeServer(context, server, {
    vmState: 'deleted',
    taskState: null,
    actionId: null,
    powerState: power.none,
    terminatedAt: now,
    deletedAt: now,
  });
}
