// Checks requests for moves, and starts their tasks. Upstream: compute/api.py resize, live_migrate,
// evacuate.
import { badRequest, conflict, notFound, type ApiError } from '../../../../kernel/errors.ts';
import { findHostNamed } from '../../store/hosts/server-hosts.ts';
import { checkForcedDown } from '../../store/hosts/services.ts';
import { findMigration, updateMigration } from '../../store/servers/migrations.ts';
import { reschedule } from '../../../../kernel/jobs/queue.ts';
import type { Context } from '../../../../kernel/model.ts';
import { elevated } from '../../../../kernel/context.ts';
import { changeServer } from '../servers/change.ts';
import { idle, requireState, type Requirement } from '../servers/checks.ts';
import { notifyServer } from '../servers/notifications.ts';
import { serverFlavor } from '../servers/flavor.ts';
import { checkMemory } from '../servers/images.ts';
import { acceptEvacuation, liveMigrate } from './moves.ts';
import { findImage } from '../../clients/image.ts';
import { bothLimitsOf } from '../quotas.ts';
import { checkGrowth, growthOf, usageIn } from '../servers/quotas.ts';
import { doTask, recordAction, recordDone, startAction, taskKind } from '../servers/tasks.ts';
import { isOnVolume } from '../servers/states.ts';
import type { Server } from '../../model.ts';

/** @throws 409 unless the server is in a state to be moved, and on a host that is up */
async function requireMovable(context: Context, server: Server, action: string): Promise<void> {
  requireState(context, server, {
    action,
    vmStates: ['active', 'stopped'],
    taskStates: idle,
    onHost: 'last',
  });
  await requireUp(context, server.host!);
}

/** @throws 409 if a host is down */
async function requireUp({ db }: Context, host: string): Promise<void> {
  if (!(await findHostNamed(db, host))?.up) throw conflict('Service is unavailable at this time.');
}

/** Completes the live migration of a server at once, and records this as an action. */
export async function completeLiveMigration(context: Context, server: Server): Promise<void> {
  await recordDone(
    context,
    server,
    'live_migration_force_complete',
    'compute_live_migration_force_complete',
  );
  await reschedule(context.db, { kind: taskKind, subject: server.uuid }, context.now);
}

/** Resizes a server to another flavor. @throws 400, 403, 409 */
export async function startResize(
  context: Context,
  server: Server,
  flavorId: string,
  diskConfig: string | undefined,
): Promise<void> {
  await requireMovable(context, server, 'resize');
  const flavor = await serverFlavor(context, flavorId);
  if (flavor.disk === 0 && server.flavor.disk !== 0 && !isOnVolume(server))
    throw badRequest(
      'Server disk was unable to be resized because: Resize to zero disk flavor is not allowed.',
    );
  if (flavor.id === server.flavor.id)
    throw badRequest('When resizing, instances must change flavor!');
  const { projectId, userId } = server;
  const limits = await bothLimitsOf(context.db, projectId, userId);
  const growth = growthOf(server.flavor, flavor);
  await checkGrowth(limits, usageIn(context.db, projectId), userId, growth);
  const image = server.imageId ? await findImage(elevated(context), server.imageId) : undefined;
  if (image) checkMemory(flavor, image);
  const changes = { progress: 0, diskConfig: diskConfig ?? 'MANUAL' };
  await startAction(context, server, {
    action: 'resize',
    task: 'resize',
    taskState: 'resize_prep',
    args: { host: null, flavor },
    changes,
  });
}

/** Cold-migrates a server, to the given host if there is one. @throws 400, 409 */
export async function startMigration(
  context: Context,
  server: Server,
  host: string | null,
): Promise<void> {
  await requireMovable(context, server, 'migrate');
  if (host !== null) {
    if (host === server.host)
      throw badRequest('Cannot migrate to the host where the server exists.');
    await requireHost(context, host);
  }
  await startAction(context, server, {
    action: 'migrate',
    task: 'resize',
    taskState: 'resize_prep',
    args: { host, flavor: null },
    changes: { progress: 0 },
  });
}

/** @throws 400 for an unknown host */
async function requireHost({ db }: Context, host: string): Promise<void> {
  if (!(await findHostNamed(db, host)))
    throw badRequest(`Compute host ${host} could not be found.`);
}

/** Confirms a resize or a cold migration. @throws 400, 409 */
export async function startConfirm(context: Context, server: Server): Promise<void> {
  requireState(context, server, {
    action: 'confirmResize',
    vmStates: ['resized'],
    taskStates: idle,
  });
  const migration = await findMigration(context.db, server.uuid, ['finished']);
  if (!migration) throw badRequest('Instance has not been resized.');
  await requireUp(context, migration.sourceHost!);
  await updateMigration(context.db, migration, { status: 'confirming' }, context.now);
  const latency = 'server.confirmResize';
  await startAction(context, server, {
    action: 'confirmResize',
    task: 'confirmResize',
    taskState: null,
    args: {},
    latency,
  });
}

/** Reverts a resize or a cold migration. @throws 400, 409 */
export async function startRevert(context: Context, server: Server): Promise<void> {
  requireState(context, server, {
    action: 'revertResize',
    vmStates: ['resized'],
    taskStates: idle,
  });
  const migration = await findMigration(context.db, server.uuid, ['finished']);
  if (!migration) throw badRequest('Instance has not been resized.');
  await updateMigration(context.db, migration, { status: 'reverting' }, context.now);
  const latency = 'server.revertResize';
  await startAction(context, server, {
    action: 'revertResize',
    task: 'revertResize',
    taskState: 'resize_reverting',
    args: {},
    latency,
  });
}

/** The parameters of a live migration. */
export interface LiveMigrationRequest {
  readonly host: string | null;
  readonly forced: boolean;
  /** Whether the request waits for the scheduler. */
  readonly waits: boolean;
}

/**
 * Live-migrates a server.
 * @returns the scheduler's error, if the request waits for the scheduler
 * @throws 400, 409
 */
export async function startLiveMigration(
  context: Context,
  server: Server,
  { host, forced, waits }: LiveMigrationRequest,
): Promise<ApiError | undefined> {
  const vmStates = ['active', 'paused'];
  requireState(context, server, {
    action: 'os-migrateLive',
    vmStates,
    taskStates: idle,
    onHost: 'last',
  });
  if (host !== null) await requireHost(context, host);
  const args = { host, flavor: null, forced };
  const action = 'live-migration';
  if (!waits) {
    await startAction(context, server, {
      action,
      task: 'liveMigrate',
      taskState: 'migrating',
      args,
    });
    return undefined;
  }
  const actionId = await recordAction(context, server.uuid, action);
  const changed = await changeServer(context, server, { taskState: 'migrating', actionId });
  return doTask(context, changed, liveMigrate, args);
}

/** The parameters of an evacuation. */
export interface EvacuationRequest {
  readonly host: string | null;
  readonly forced: boolean;
  readonly stayOff: boolean;
}

/** What an evacuation requires of a server. */
export const evacuation: Requirement = {
  action: 'evacuate',
  vmStates: ['active', 'stopped', 'error'],
  evenLocked: true,
  onHost: 'last',
};

/** Evacuates a server from a host that is down. @throws 400, 404, 409 */
export async function startEvacuation(
  context: Context,
  server: Server,
  { host, forced, stayOff }: EvacuationRequest,
): Promise<void> {
  const { db } = context;
  if (host !== null && !(await findHostNamed(db, host)))
    throw notFound(`Compute host ${host} not found.`);
  if (host !== null && host === server.host)
    throw badRequest("The target host can't be the same one.");
  requireState(context, server, evacuation);
  if (!(await checkForcedDown(db, server.host!)))
    throw badRequest(`Compute service of ${server.host} is still in use.`);
  await acceptEvacuation(context, server, host);
  const rebuilding = await startAction(context, server, {
    action: 'evacuate',
    task: 'evacuate',
    taskState: 'rebuilding',
    args: { host, flavor: null, forced, stayOff },
    latency: 'server.evacuate',
  });
  await notifyServer(context, rebuilding, { action: 'evacuate', byApi: true });
}
