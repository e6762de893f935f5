// Deletes servers: at once, or softly if the settings have a reclaim interval.
import type { Context } from '../../../../kernel/model.ts';
import { deleteQueuedSnapshots } from '../../clients/image.ts';
import { requireState } from '../servers/checks.ts';
import { failMove } from '../moves/ends.ts';
import { recordFinished, startAction, type Task } from '../servers/tasks.ts';
import type { Server } from '../../model.ts';
import { deleteEvent, notifyAction } from '../servers/notifications.ts';
import { latencyOf } from '../../../../kernel/latency.ts';
import { removeServer } from './remove.ts';
import { isSoftlyDeletable, softDelete } from './soft-delete.ts';

/** The task states of a server that is being deleted. */
const deleting: readonly (string | null)[] = ['deleting', 'soft-deleting'];

/**
 * Deletes a server in any state.
 * @param force skips the soft deletion that the settings ask for
 * @throws 409 if it is locked
 */
export async function deleteServer(context: Context, server: Server, force = false): Promise<void> {
  requireState(context, server, { action: force ? 'forceDelete' : 'delete', launched: false });
  if (deleting.includes(server.taskState) && !force) return;
  if (server.taskState?.startsWith('image_')) await deleteQueuedSnapshots(context, server.uuid);
  if (!force && (await isSoftlyDeletable(context, server))) {
    await softDelete(context, server);
    return;
  }
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
  await recordFinished(context, server, 'delete', deleteEvent);
  await notifyAction(context, server, deleteEvent, 'start');
  await removeServer(context, server);
  await notifyAction(context, server, deleteEvent, 'end');
}

export const deleteTask: Task = {
  event: deleteEvent,
  async run(context, server) {
    await removeServer(context, server);
    return undefined;
  },
  failed: failMove,
};
