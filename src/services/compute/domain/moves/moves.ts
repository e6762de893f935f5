// The tasks that move servers: resize and cold migration, which are then confirmed or reverted,
// live migration, and evacuation. Upstream: conductor/tasks, compute/manager.py.
import { badRequest, ApiError } from '../../../../kernel/errors.ts';
import { newUuid } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import { deleteAllocations } from '../../clients/placement.ts';
import { deleteConsoleTokens } from '../../store/servers/console-tokens.ts';
import {
  findMigration,
  insertMigration,
  migrationById,
  updateMigration,
} from '../../store/servers/migrations.ts';
import { findHostNamed, zoneOf } from '../../store/hosts/server-hosts.ts';
import { checkForcedDown } from '../../store/hosts/services.ts';
import { findHost, requestSpecOf } from '../scheduler/scheduling.ts';
import type { RequestSpec } from '../scheduler/request-spec.ts';
import { abandonMoves, confirmMove, failMove, notifyRollback, revertAllocations } from './ends.ts';
import { changeServer } from '../servers/change.ts';
import { flavorPayload } from '../servers/notification-payloads.ts';
import { notifyExists, notifyServer, notifyStep } from '../servers/notifications.ts';
import { bindPorts } from '../port-resources.ts';
import type { MigrationArgs, MoveArgs } from '../servers/task-args.ts';
import { scheduleNextTask, type Task } from '../servers/tasks.ts';
import { power } from '../servers/states.ts';
import { loadSettings } from '../settings.ts';
import type { Migration, NewMigration, Server, ServerChanges, ServerFlavor } from '../../model.ts';

function newMigration(
  { now }: Pick<Context, 'now'>,
  server: Server,
  type: string,
  flavor: ServerFlavor,
  by: Pick<Server, 'projectId' | 'userId'>,
): NewMigration {
  return {
    uuid: newUuid(),
    serverUuid: server.uuid,
    type,
    status: 'pre-migrating',
    sourceHost: server.host,
    sourceNode: server.node,
    destHost: null,
    destNode: null,
    oldFlavor: server.flavor,
    newFlavor: flavor,
    oldVmState: server.vmState,
    projectId: by.projectId,
    userId: by.userId,
    createdAt: now,
    updatedAt: now,
  };
}

/**
 * The fields of the request spec that a forced move changes. It skips the scheduler's filters, and
 * ignores even the zone that the server is pinned to.
 */
const forcedSpec = (forced: boolean): Partial<RequestSpec> =>
  forced ? { forced, zone: null } : {};

/**
 * Selects the destination and claims resources on it. Until the move ends, the migration is the
 * consumer of the allocations on the source.
 * @returns the name of the destination
 */
async function claimMove(
  context: Context,
  server: Server,
  migration: Migration,
  { host, flavor, forced = false }: MoveArgs,
): Promise<string> {
  const { db, now } = context;
  const mayStay = flavor !== null && (await loadSettings(context)).allowResizeToSameHost;
  const overrides = {
    host,
    flavor: flavor ?? server.flavor,
    ignoredHosts: mayStay ? [] : [server.host!],
    currentHost: null,
    ...forcedSpec(forced),
  };
  const { host: destHost, node: destNode } = await findHost(
    context,
    server,
    await requestSpecOf(context, server, overrides),
    migration.uuid,
  );
  await updateMigration(db, migration, { status: 'migrating', destHost, destNode }, now);
  return destHost;
}

/** Records a migration that failed before it started. */
const recordFailure = async (
  { db, now }: Context,
  server: Server,
  type: string,
  args: MoveArgs,
): Promise<void> => {
  await insertMigration(db, {
    ...newMigration({ now }, server, type, args.flavor ?? server.flavor, server),
    status: 'error',
  });
};

/** Replaces the reason of a no-valid-host error; other errors are returned unchanged. */
const noHostForMove = (error: unknown, reason: string): unknown =>
  error instanceof ApiError && error.code === 'compute.no_host'
    ? new ApiError(error.status, `No valid host was found. ${reason}`, error)
    : error;

/** Selects the host for a resize or a cold migration. */
export const resize: Task<MoveArgs> = {
  event: 'cold_migrate',
  async run(context, server, move) {
    const migration = await insertMigration(
      context.db,
      newMigration(
        context,
        server,
        move.flavor ? 'resize' : 'migration',
        move.flavor ?? server.flavor,
        server,
      ),
    );
    const host = await claimMove(context, server, migration, move).catch((error: unknown) => {
      throw noHostForMove(
        error,
        move.flavor ? 'No valid host found for resize' : 'No valid host found for cold migrate',
      );
    });
    await notifyExists(context, server, host);
    const fields = { new_flavor: flavorPayload(move.flavor ?? server.flavor) };
    const payload = 'InstanceActionResizePrepPayload';
    await notifyStep(context, server, { action: 'resize_prep', payload, fields, host });
    const changed = await changeServer(context, server, { taskState: 'resize_migrating' });
    await notifyServer(context, changed, { action: 'resize', phase: 'start' });
    await scheduleNextTask(
      context,
      changed,
      'resizeFinish',
      { migration: migration.id },
      move.flavor ? 'server.resize' : 'server.migrate',
    );
    return undefined;
  },
  async failed(context, server, _error, move) {
    await recordFailure(context, server, move.flavor ? 'resize' : 'migration', move);
    return {};
  },
};

/**
 * Moves the server to the destination, where it stays in the state VERIFY_RESIZE until the resize
 * is confirmed or reverted.
 */
export const resizeFinish: Task<MigrationArgs> = {
  event: 'compute_finish_resize',
  async run(context, server, { migration: id }) {
    const { db, now } = context;
    const migration = (await migrationById(db, id))!;
    const { destHost: host, destNode: node, newFlavor: flavor } = migration;
    const zone = await zoneOf(db, host!);
    await updateMigration(db, migration, { status: 'finished' }, now);
    const moved: Server = { ...server, taskState: 'resize_migrated', host, node };
    await notifyServer(context, moved, { action: 'resize', phase: 'end', host: server.host });
    const finishing: Server = { ...moved, taskState: 'resize_finish', zone, flavor };
    await notifyServer(context, finishing, { action: 'resize_finish', phase: 'start' });
    await bindPorts(context, server.uuid, host!);
    const changes: ServerChanges = {
      vmState: 'resized',
      host,
      node,
      zone,
      flavor,
      progress: 0,
      launchedAt: now,
    };
    const finished: Server = { ...server, ...changes, taskState: null };
    await notifyServer(context, finished, { action: 'resize_finish', phase: 'end' });
    return changes;
  },
  failed: failMove,
};

/** Lets the server keep its new host and flavor. */
export const confirmResize: Task = {
  event: 'compute_confirm_resize',
  async run(context, server) {
    await confirmMove(context, server);
    return server.powerState === power.shutdown ? { vmState: 'stopped' } : { vmState: 'active' };
  },
  failed: failMove,
};

/** Returns the server to its old host and flavor. */
export const revertResize: Task = {
  event: 'compute_finish_revert_resize',
  async run(context, server) {
    const { db, now } = context;
    const migration = (await findMigration(db, server.uuid, ['reverting', 'finished']))!;
    const {
      sourceHost: host,
      sourceNode: node,
      oldFlavor: flavor,
      oldVmState: vmState,
    } = migration;
    await revertAllocations(context, server, migration);
    await updateMigration(db, migration, { status: 'reverted' }, now);
    const zone = await zoneOf(db, host!);
    await bindPorts(context, server.uuid, host!);
    return { vmState, host, node, zone, flavor, launchedAt: now };
  },
  failed: failMove,
};

/**
 * Checks the source and the destination of a live migration, apart from the scheduler's filters.
 * Upstream: conductor/tasks/live_migrate.py.
 * @throws 400 if one of them is down, or if both are the same
 */
async function checkLiveMigrationHosts(
  { db }: Context,
  { uuid, host: source }: Server,
  { host, forced }: MoveArgs,
): Promise<void> {
  const requireUp = async (name: string): Promise<void> => {
    if (!(await findHostNamed(db, name))?.up)
      throw badRequest(`Compute service of ${name} is unavailable at this time.`);
  };
  await requireUp(source!);
  if (!forced || host === null) return;
  if (host === source)
    throw badRequest(`Unable to migrate instance (${uuid}) to current host (${host}).`);
  await requireUp(host);
}

/** Selects the host for a live migration. */
export const liveMigrate: Task<MoveArgs> = {
  event: 'conductor_live_migrate_instance',
  async run(context, server, move) {
    await checkLiveMigrationHosts(context, server, move);
    const migration = await insertMigration(
      context.db,
      newMigration(context, server, 'live-migration', server.flavor, server),
    );
    const host = await claimMove(context, server, migration, move);
    await notifyStep(context, server, { action: 'live_migration_pre', host });
    await updateMigration(context.db, migration, { status: 'running' }, context.now);
    await scheduleNextTask(
      context,
      server,
      'liveMigrateFinish',
      { migration: migration.id },
      'server.os-migrateLive',
    );
    return undefined;
  },
  async failed(context, server, _error, move) {
    await recordFailure(context, server, 'live-migration', move);
    return {};
  },
};

/** Moves the server to its new host, and deletes the allocations on the old one. */
export const liveMigrateFinish: Task<MigrationArgs> = {
  event: 'compute_live_migration',
  async run(context, server, { migration: id }) {
    const { db, now } = context;
    const migration = (await migrationById(db, id))!;
    const { uuid, destHost: host, destNode: node } = migration;
    await notifyServer(context, server, { action: 'live_migration_post', phase: 'start' });
    await deleteAllocations(context, uuid);
    await updateMigration(db, migration, { status: 'completed' }, now);
    await deleteConsoleTokens(db, server.uuid);
    const zone = await zoneOf(db, host!);
    await bindPorts(context, server.uuid, host!);
    const changes: ServerChanges = { host, node, zone };
    const moved: Server = { ...server, ...changes, taskState: null };
    const action = 'live_migration_post_dest';
    await notifyServer(context, server, { action, phase: 'start', host });
    await notifyServer(context, moved, { action, phase: 'end' });
    await notifyServer(context, server, { action: 'live_migration_post', phase: 'end' });
    return changes;
  },
  // The server keeps running on its current host.
  async failed(context, server, _error, { migration: id }) {
    await notifyRollback(context, server, (await migrationById(context.db, id))!);
    await abandonMoves(context, server);
    return {};
  },
};

/**
 * Rebuilds a server on another host, because its own is down. As long as that host is down, the
 * server keeps its allocations there.
 */
export const evacuate: Task<MoveArgs> = {
  event: 'compute_rebuild_instance',
  async run(context, server, { host, forced = false, stayOff }) {
    const { db, now } = context;
    const migration = (await findMigration(db, server.uuid, ['accepted']))!;
    const spec = await requestSpecOf(context, server, {
      host,
      ignoredHosts: [server.host!],
      currentHost: null,
      ...forcedSpec(forced),
    });
    const isDown = await checkForcedDown(db, server.host!);
    const {
      host: destHost,
      node: destNode,
      zone,
    } = await findHost(context, server, spec, isDown ? server.uuid : undefined);
    await updateMigration(
      db,
      migration,
      { status: isDown ? 'done' : 'completed', destHost, destNode },
      now,
    );
    await bindPorts(context, server.uuid, destHost);
    const isOff = stayOff || server.vmState === 'stopped';
    const state: ServerChanges = isOff
      ? { vmState: 'stopped', powerState: power.shutdown }
      : { vmState: 'active', powerState: power.running };
    return { ...state, host: destHost, node: destNode, zone, launchedAt: now, fault: null };
  },
  failed: failMove,
};

/** Records the migration of an evacuation, with the status `accepted`. */
export async function acceptEvacuation(
  context: Context,
  server: Server,
  host: string | null,
): Promise<void> {
  await abandonMoves(context, server);
  const { userId, projectId = '' } = context.actor;
  const migration = newMigration(context, server, 'evacuation', server.flavor, {
    userId,
    projectId,
  });
  await insertMigration(context.db, { ...migration, status: 'accepted', destHost: host });
}
