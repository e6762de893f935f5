// Moving servers: resize and cold migration with their two ends, live migration, evacuation.
// Upstream: conductor/tasks, compute/manager.py.
import { badRequest, ApiError } from '../../../../kernel/errors.ts';
import { newUuid } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import { bindServerPorts } from '../../clients/network.ts';
import { deleteAllocations } from '../../clients/placement.ts';
import {
  findMigration,
  insertMigration,
  migrationById,
  updateMigration,
} from '../../store/servers/migrations.ts';
import { updateServer } from '../../store/servers/servers.ts';
import { findHostNamed, zoneOf } from '../../store/hosts/server-hosts.ts';
import { holdDown } from '../../store/hosts/services.ts';
import { findHost, requestSpecOf } from '../scheduler/scheduling.ts';
import type { RequestSpec } from '../scheduler/request-spec.ts';
import { abandonMoves, confirmMove, failMove, revertAllocations } from './ends.ts';
import { scheduleNextTask, type Args, type Task } from '../servers/tasks.ts';
import { power } from '../servers/states.ts';
import type { Migration, NewMigration, Server, ServerFlavor } from '../../model.ts';

/** The arguments of a move. */
export interface MoveArgs {
  /** The destination that the request names. */
  readonly host: string | null;
  /** Of a resize: the new flavor. */
  readonly flavor: ServerFlavor | null;
  /** Whether no filter runs. */
  readonly forced?: boolean;
  /** Of an evacuation: whether the server stays off. */
  readonly stayOff?: boolean;
}

const argsOf = (args: Args): MoveArgs => args as unknown as MoveArgs;

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
 * A move that is forced does not ask the scheduler: not even the zone that the server is pinned to
 * counts.
 */
const forcedTo = (forced: boolean): Partial<RequestSpec> => (forced ? { forced, zone: null } : {});

/**
 * Finds the destination: until the move is over, there are allocations on both hosts, those on the
 * source with the migration as consumer.
 */
async function claimMove(
  context: Context,
  server: Server,
  migration: Migration,
  { host, flavor, forced = false }: MoveArgs,
): Promise<void> {
  const { db, now } = context;
  const own = {
    host,
    flavor: flavor ?? server.flavor,
    ignoredHosts: [server.host!],
    currentHost: null,
  };
  const more = { ...own, ...forcedTo(forced) };
  const { host: destHost, node: destNode } = await findHost(
    context,
    server,
    await requestSpecOf(db, server, more),
    migration.uuid,
  );
  await updateMigration(db, migration, { status: 'migrating', destHost, destNode }, now);
}

/** Records a migration that failed before it began. */
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

/** The refusal of a move for which there is no valid host. */
const noHostForMove = (error: unknown, why: string): unknown =>
  error instanceof ApiError && error.code === 'compute.no_host'
    ? new ApiError(error.status, `No valid host was found. ${why}`, error)
    : error;

/** Finds the host for a resize or a cold migration. */
export const resize: Task = {
  event: 'cold_migrate',
  async run(context, server, args) {
    const move = argsOf(args);
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
    await claimMove(context, server, migration, move).catch((error: unknown) => {
      throw noHostForMove(
        error,
        move.flavor ? 'No valid host found for resize' : 'No valid host found for cold migrate',
      );
    });
    const changed = await updateServer(
      context.db,
      server,
      { taskState: 'resize_migrating' },
      context.now,
    );
    await scheduleNextTask(
      context,
      changed,
      'resizeFinish',
      { migration: migration.id },
      move.flavor ? 'server.resize' : 'server.migrate',
    );
    return undefined;
  },
  async failed(context, server, _error, args) {
    const move = argsOf(args);
    await recordFailure(context, server, move.flavor ? 'resize' : 'migration', move);
    return {};
  },
};

/**
 * The server is on the destination in the state VERIFY_RESIZE, until the resize is confirmed or
 * reverted.
 */
export const resizeFinish: Task = {
  event: 'compute_finish_resize',
  async run(context, server, args) {
    const { db, now } = context;
    const migration = (await migrationById(db, args['migration'] as number))!;
    const { destHost: host, destNode: node, newFlavor: flavor } = migration;
    const zone = await zoneOf(db, host!);
    await updateMigration(db, migration, { status: 'finished' }, now);
    await bindServerPorts(context, server.uuid, host!);
    return { vmState: 'resized', host, node, zone, flavor, progress: 0, launchedAt: now };
  },
  failed: failMove,
};

/** The server keeps its new host and flavor. */
export const confirmResize: Task = {
  event: 'compute_confirm_resize',
  async run(context, server) {
    await confirmMove(context, server);
    return server.powerState === power.shutdown ? { vmState: 'stopped' } : { vmState: 'active' };
  },
  failed: failMove,
};

/** The server returns to its old host and flavor. */
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
    await bindServerPorts(context, server.uuid, host!);
    return { vmState, host, node, zone, flavor, launchedAt: now };
  },
  failed: failMove,
};

/**
 * Checks what no scheduler is asked about. Upstream: conductor/tasks/live_migrate.py.
 * @throws Fault where an end is down, or both are the same
 */
async function checkLiveEnds(
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

/** Finds the host for a live migration. */
export const liveMigrate: Task = {
  event: 'conductor_live_migrate_instance',
  async run(context, server, args) {
    const move = argsOf(args);
    await checkLiveEnds(context, server, move);
    const migration = await insertMigration(
      context.db,
      newMigration(context, server, 'live-migration', server.flavor, server),
    );
    await claimMove(context, server, migration, move);
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
  async failed(context, server, _error, args) {
    await recordFailure(context, server, 'live-migration', argsOf(args));
    return {};
  },
};

/** The server is on its new host, without allocations on the old one. */
export const liveMigrateFinish: Task = {
  event: 'compute_live_migration',
  async run(context, server, args) {
    const { db, now } = context;
    const migration = (await migrationById(db, args['migration'] as number))!;
    const { uuid, destHost: host, destNode: node } = migration;
    await deleteAllocations(context, uuid);
    await updateMigration(db, migration, { status: 'completed' }, now);
    const zone = await zoneOf(db, host!);
    await bindServerPorts(context, server.uuid, host!);
    return { host, node, zone };
  },
  // The server keeps running on its host.
  async failed(context, server) {
    await abandonMoves(context, server);
    return {};
  },
};

/**
 * Rebuilds a server on another host, because its own is down: while that is so, the server has
 * allocations there too.
 */
export const evacuate: Task = {
  event: 'compute_rebuild_instance',
  async run(context, server, args) {
    const { db, now } = context;
    const { host, forced = false, stayOff } = argsOf(args);
    const migration = (await findMigration(db, server.uuid, ['accepted']))!;
    const spec = await requestSpecOf(db, server, {
      host,
      ignoredHosts: [server.host!],
      currentHost: null,
      ...forcedTo(forced),
    });
    const isDown = await holdDown(db, server.host!);
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
    await bindServerPorts(context, server.uuid, destHost);
    const isOff = stayOff || server.vmState === 'stopped';
    const state = isOff
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
