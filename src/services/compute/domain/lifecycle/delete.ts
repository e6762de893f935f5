// Deleting servers: everything that they had is given back.
import { dropUses } from '../../../placement/index.ts';
import { openMigrations, updateMigration } from '../../store/servers/migrations.ts';
import { updateServer, type Server } from '../../store/servers/servers.ts';
import { require } from '../servers/checks.ts';
import { errorOut } from '../moves/ends.ts';
import { dropSnapshot, dropUnfinished } from '../../neighbours/servers.ts';
import { unplug } from '../servers/networks.ts';
import { detachAll } from '../servers/volumes.ts';
import { begin, recordDone, type Actor, type Task, type Work } from '../servers/tasks.ts';
import { power } from '../servers/states.ts';

/** Deletes a server, whatever it is doing. @throws 409 where it is locked */
export async function deleteServer(actor: Actor, server: Server, force = false): Promise<void> {
  require(server, { action: force ? 'forceDelete' : 'delete', launched: false }, actor.isAdmin);
  if (server.taskState === 'deleting' && !force) return;
  if (server.taskState?.startsWith('image_')) await dropUnfinished(actor.db, server.uuid);
  if (actor.latency['server.delete']) {
    await begin(actor, server, { action: 'delete', task: 'delete', taskState: 'deleting', latency: 'server.delete' });
    return;
  }
  await recordDone(actor, server, 'delete', 'compute_terminate_instance');
  await remove(actor, server);
}

export const deleteTask: Task = {
  event: 'compute_terminate_instance',
  async run(work, server) {
    await remove(work, server);
    return undefined;
  },
  failed: errorOut,
};

async function remove({ db, now }: Pick<Work, 'db' | 'now'>, server: Server): Promise<void> {
  const { uuid } = server;
  for (const migration of await openMigrations(db, [uuid])) {
    await dropUses(db, migration.uuid);
    await updateMigration(db, migration, { status: migration.status === 'finished' ? 'confirmed' : 'error' }, now);
  }
  await dropUses(db, uuid);
  await unplug(db, uuid, now);
  await detachAll(db, uuid, now);
  if (server.shelvedImageId !== null) await dropSnapshot(db, server.shelvedImageId);
  await updateServer(
    db,
    server,
    { vmState: 'deleted', taskState: null, actionId: null, powerState: power.none, terminatedAt: now, deletedAt: now },
    now,
  );
}
