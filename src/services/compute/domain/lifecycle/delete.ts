// Deletes servers with their allocations, ports and volumes.
import type { Context } from '../../../../kernel/model.ts';
import { deleteQueuedSnapshots, deleteSnapshot } from '../../clients/image.ts';
import { deleteAllocations } from '../../clients/placement.ts';
import { openMigrations, updateMigration } from '../../store/servers/migrations.ts';
import { updateServer } from '../../store/servers/servers.ts';
import { requireState } from '../servers/checks.ts';
import { failMove } from '../moves/ends.ts';
import { detachPorts } from '../servers/networks.ts';
import { detachAll } from '../servers/volumes.ts';
import { recordDone, startAction, type Task } from '../servers/tasks.ts';
import { power } from '../servers/states.ts';
import type { Server } from '../../model.ts';
import { schedulePurge } from './purge.ts';
import { latencyOf } from '../../../../kernel/latency.ts';

/** Deletes a server in any state. @throws 409 if it is locked */
export async function deleteServer(context: Context, server: Server, force = false): Promise<void> {
  requireState(context, server, { action: force ? 'forceDelete' : 'delete', launched: false });
  if (server.taskState === 'deleting' && !force) return;
  if (server.taskState?.startsWith('image_')) await deleteQueuedSnapshots(context, server.uuid);
  if (latencyOf(context, 'server.delete')) {
    await startAction(context, server, {
      action: 'delete',
      task: 'delete',
      taskState: 'deleting',
      args: {},
      latency: 'server.delete',
    });
    return;
  }
  await recordDone(context, server, 'delete', 'compute_terminate_instance');
  await remove(context, server);
}

export const deleteTask: Task = {
  event: 'compute_terminate_instance',
  async run(context, server) {
    await remove(context, server);
    return undefined;
  },
  failed: failMove,
};

async function remove(context: Context, server: Server): Promise<void> {
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
  await detachPorts(context, uuid);
  await detachAll(context, uuid);
  if (server.shelvedImageId !== null) await deleteSnapshot(context, server.shelvedImageId);
  await schedulePurge(context);
  await updateServer(
    db,
    server,
    {
      vmState: 'deleted',
      taskState: null,
      actionId: null,
      powerState: power.none,
      terminatedAt: now,
      deletedAt: now,
    },
    now,
  );
}
