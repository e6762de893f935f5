// Deleting servers: everything that they had is given back.
import { dropUses } from '../../placement/index.ts';
import { openMigrations, updateMigration } from '../store/server-migrations.ts';
import { updateServer, type Server } from '../store/servers.ts';
import { require } from './server-checks.ts';
import { errorOut } from './server-move-ends.ts';
import { dropSnapshot, dropUnfinished } from './server-neighbours.ts';
import { unplug } from './server-networks.ts';
import { detachAll } from './server-volumes.ts';
import { begin, recordDone, type Actor, type Task, type Work } from './server-work.ts';
import { power } from './servers.ts';

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
