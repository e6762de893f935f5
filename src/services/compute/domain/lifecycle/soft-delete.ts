// Soft-deletes servers, restores them, and deletes them for good when the reclaim interval of the
// settings has passed. Upstream: soft_delete and restore in compute/api.py,
// _reclaim_queued_deletes in compute/manager.py.
import { SECOND, type Micros } from '../../../../kernel/clock.ts';
import { cancel, schedule } from '../../../../kernel/jobs/queue.ts';
import type { Context } from '../../../../kernel/model.ts';
import { deleteSnapshot } from '../../clients/image.ts';
import { listServices } from '../../store/hosts/services.ts';
import { findServer, softDeletedServers } from '../../store/servers/servers.ts';
import { softDeletedState, type Server } from '../../model.ts';
import { abandonMoves, confirmMove } from '../moves/ends.ts';
import { bothLimitsOf } from '../quotas.ts';
import { idle, requireState } from '../servers/checks.ts';
import { countAllowed, usageIn } from '../servers/quotas.ts';
import { power } from '../servers/states.ts';
import { recordDone, startAction, type Task } from '../servers/tasks.ts';
import { loadSettings } from '../settings.ts';
import { removeServer } from './remove.ts';

/** The kind of the jobs that delete soft-deleted servers, one for each server. */
export const reclaimKind = 'compute.reclaim';

/**
 * Whether a client's deletion of a server is a soft one. Nova deletes a server at once that has
 * never run, or that no running nova-compute is responsible for.
 */
export async function isSoftlyDeletable(context: Context, server: Server): Promise<boolean> {
  const { launchedAt, host } = server;
  if (launchedAt === null || host === null) return false;
  if (!(await loadSettings(context)).reclaimInstanceInterval) return false;
  const services = await listServices(context.db, { host, binary: 'nova-compute' });
  return services.some(({ forcedDown }) => !forcedDown);
}

/**
 * Soft-deletes a server. A second deletion restarts the interval after which the server is
 * reclaimed.
 */
export async function softDelete(context: Context, server: Server): Promise<void> {
  if (server.vmState === 'resized') {
    await recordDone(context, server, 'confirmResize', 'compute_confirm_resize');
    await confirmMove(context, server);
  } else await abandonMoves(context, server);
  if (server.shelvedImageId !== null) await deleteSnapshot(context, server.shelvedImageId);
  await cancel(context.db, reclaimKind, server.uuid);
  await startAction(context, server, {
    action: 'delete',
    task: 'softDelete',
    taskState: 'soft-deleting',
    args: {},
    latency: 'server.delete',
    changes: { shelvedImageId: null, softDeletedAt: context.now, progress: 0 },
  });
}

export const softDeleteTask: Task = {
  event: 'compute_soft_delete_instance',
  async run(context, server) {
    await scheduleReclaim(context, server, (await loadSettings(context)).reclaimInstanceInterval);
    return { vmState: softDeletedState, powerState: power.shutdown };
  },
};

/** Restores a soft-deleted server. @throws 403 if a quota is exceeded, 409 */
export async function restoreServer(context: Context, server: Server): Promise<void> {
  requireState(context, server, {
    action: 'restore',
    vmStates: [softDeletedState],
    taskStates: idle,
  });
  const { db } = context;
  const { projectId, userId, flavor } = server;
  const limits = await bothLimitsOf(db, projectId, userId);
  await countAllowed(limits, usageIn(db, projectId), { userId, flavor, least: 1, most: 1 });
  await cancel(db, reclaimKind, server.uuid);
  await startAction(context, server, {
    action: 'restore',
    task: 'restore',
    taskState: 'restoring',
    args: {},
    changes: { softDeletedAt: null },
  });
}

export const restoreTask: Task = {
  event: 'compute_restore_instance',
  run: async () => ({ vmState: 'active', powerState: power.running }),
};

/** Schedules when a soft-deleted server is deleted; never if the interval is 0. */
async function scheduleReclaim(
  { db, now }: Context,
  { uuid: subject, softDeletedAt }: Server,
  interval: number,
): Promise<void> {
  if (!interval) return;
  const end: Micros = (softDeletedAt ?? now) + interval * SECOND;
  await schedule(db, { dueAt: Math.max(now, end), kind: reclaimKind, subject });
}

/** Applies a changed reclaim interval to the servers that are soft-deleted. */
export async function applyReclaimInterval(
  context: Context,
  changed: ReadonlySet<string>,
): Promise<void> {
  if (!changed.has('reclaimInstanceInterval')) return;
  const { reclaimInstanceInterval } = await loadSettings(context);
  for (const server of await softDeletedServers(context.db)) {
    await cancel(context.db, reclaimKind, server.uuid);
    await scheduleReclaim(context, server, reclaimInstanceInterval);
  }
}

/** Deletes a soft-deleted server for good, unless it has been restored. */
export async function reclaim(context: Context, uuid: string): Promise<void> {
  const server = await findServer(context.db, uuid);
  if (server?.vmState === softDeletedState && server.taskState === null)
    await removeServer(context, server);
}
