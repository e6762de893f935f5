// Moving servers: resize and cold migration with their two ends, live migration, evacuation. Upstream: conductor/tasks, compute/manager.py.
import { Fault } from '../../../../kernel/fault.ts';
import { newUuid } from '../../../../kernel/ids.ts';
import { dropUses } from '../../../placement/index.ts';
import {
  findMigration, insertMigration, migrationById, updateMigration, type Migration, type NewMigration,
} from '../../store/servers/migrations.ts'; // prettier-ignore
import { updateServer, type Server, type ServerChanges, type ServerFlavor } from '../../store/servers/servers.ts';
import { zoneOf } from '../../store/hosts/server-hosts.ts';
import { replug } from '../servers/networks.ts';
import { findHost, wishOf } from '../scheduler/scheduling.ts';
import { endMove, errorOut, giveUpMoves, returnUses } from './ends.ts';
import { goOn, type Actor, type Args, type Task, type Work } from '../servers/tasks.ts';
import { power } from '../servers/states.ts';

/** Where a move is to lead, where somebody said so. */
export interface MoveArgs {
  readonly host: string | null;
  /** Of a resize: the flavor to come. */
  readonly flavor: ServerFlavor | null;
  /** Whether the scheduler's filters are passed by. */
  readonly forced?: boolean;
  /** Of an evacuation: whether the server stays off. */
  readonly stayOff?: boolean;
}

const argsOf = (args: Args): MoveArgs => args as unknown as MoveArgs;

function newMigration(
  { now }: Pick<Work, 'now'>,
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

/** The host that a move leads to: the server has what it uses at both ends until the move is over. */
async function claimMove(
  work: Work,
  server: Server,
  migration: Migration,
  { host, flavor, forced = false }: MoveArgs,
): Promise<ServerChanges> {
  const { db, now } = work;
  const more = { host, forced, flavor: flavor ?? server.flavor, ignoredHosts: [server.host!], currentHost: null };
  const placing = await findHost(db, server, await wishOf(db, server, more), now, migration.uuid);
  await updateMigration(db, migration, { status: 'migrating', destHost: placing.host, destNode: placing.node }, now);
  return { host: placing.host, node: placing.node, zone: placing.zone };
}

/** Writes down that a move failed before it began. */
const noMove = async ({ db, now }: Work, server: Server, type: string, args: MoveArgs): Promise<void> => {
  await insertMigration(db, { ...newMigration({ now }, server, type, args.flavor ?? server.flavor, server), status: 'error' });
};

/** What is told where the scheduler found no host for a move. */
const explained = (fault: unknown, why: string): unknown =>
  fault instanceof Fault && fault.details.code === 'compute.no_host'
    ? new Fault(fault.status, `No valid host was found. ${why}`, fault.details)
    : fault;

/** Finds the host for a resize or a cold migration. */
export const resize: Task = {
  event: 'cold_migrate',
  async run(work, server, args) {
    const move = argsOf(args);
    const migration = await insertMigration(
      work.db,
      newMigration(work, server, move.flavor ? 'resize' : 'migration', move.flavor ?? server.flavor, server),
    );
    await claimMove(work, server, migration, move).catch((error: unknown) => {
      throw explained(error, move.flavor ? 'No valid host found for resize' : 'No valid host found for cold migrate');
    });
    const begun = await updateServer(work.db, server, { taskState: 'resize_migrating' }, work.now);
    await goOn(work, begun, 'resizeFinish', { migration: migration.id }, move.flavor ? 'server.resize' : 'server.migrate');
    return undefined;
  },
  async failed(work, server, _fault, args) {
    const move = argsOf(args);
    await noMove(work, server, move.flavor ? 'resize' : 'migration', move);
    return {};
  },
};

/** The server arrives, and waits for a word whether it may stay. */
export const resizeFinish: Task = {
  event: 'compute_finish_resize',
  async run({ db, now }, server, args) {
    const migration = (await migrationById(db, args['migration'] as number))!;
    const { destHost: host, destNode: node, newFlavor: flavor } = migration;
    const zone = await zoneOf(db, host!);
    await updateMigration(db, migration, { status: 'finished' }, now);
    await replug(db, server.uuid, host!, now);
    return { vmState: 'resized', host, node, zone, flavor, progress: 0, launchedAt: now };
  },
  failed: errorOut,
};

/** The server stays: what it used before is free again. */
export const confirmResize: Task = {
  event: 'compute_confirm_resize',
  async run({ db, now }, server) {
    await endMove({ db, now }, server);
    return server.powerState === power.shutdown ? { vmState: 'stopped' } : { vmState: 'active' };
  },
  failed: errorOut,
};

/** The server goes back to where it was, and to what it was. */
export const revertResize: Task = {
  event: 'compute_finish_revert_resize',
  async run({ db, now }, server) {
    const migration = (await findMigration(db, server.uuid, ['reverting', 'finished']))!;
    const { sourceHost: host, sourceNode: node, oldFlavor: flavor, oldVmState: vmState } = migration;
    await returnUses(db, server, migration, now);
    await updateMigration(db, migration, { status: 'reverted' }, now);
    const zone = await zoneOf(db, host!);
    await replug(db, server.uuid, host!, now);
    return { vmState, host, node, zone, flavor, launchedAt: now };
  },
  failed: errorOut,
};

/** Finds the host for a live migration. */
export const liveMigrate: Task = {
  event: 'conductor_live_migrate_instance',
  async run(work, server, args) {
    const move = argsOf(args);
    const migration = await insertMigration(work.db, newMigration(work, server, 'live-migration', server.flavor, server));
    await claimMove(work, server, migration, move);
    await updateMigration(work.db, migration, { status: 'running' }, work.now);
    await goOn(work, server, 'liveMigrateFinish', { migration: migration.id }, 'server.os-migrateLive');
    return undefined;
  },
  async failed(work, server, _fault, args) {
    await noMove(work, server, 'live-migration', argsOf(args));
    return {};
  },
};

/** The server is on its new host, and nothing of it is left on the old one. */
export const liveMigrateFinish: Task = {
  event: 'compute_live_migration',
  async run({ db, now }, server, args) {
    const migration = (await migrationById(db, args['migration'] as number))!;
    const { uuid, destHost: host, destNode: node } = migration;
    await dropUses(db, uuid);
    await updateMigration(db, migration, { status: 'completed' }, now);
    const zone = await zoneOf(db, host!);
    await replug(db, server.uuid, host!, now);
    return { host, node, zone };
  },
  // It goes on where it was.
  async failed(work, server) {
    await giveUpMoves(work, server);
    return {};
  },
};

/** Builds a server again somewhere else, because its host is down. */
export const evacuate: Task = {
  event: 'compute_rebuild_instance',
  async run(work, server, args) {
    const { db, now } = work;
    const { host, forced = false, stayOff } = argsOf(args);
    const migration = (await findMigration(db, server.uuid, ['accepted']))!;
    const wish = await wishOf(db, server, { host, forced, ignoredHosts: [server.host!], currentHost: null });
    const placing = await findHost(db, server, wish, now);
    await updateMigration(db, migration, { status: 'done', destHost: placing.host, destNode: placing.node }, now);
    const { zone } = placing;
    await replug(db, server.uuid, placing.host, now);
    const isOff = stayOff || server.vmState === 'stopped';
    const state = isOff ? { vmState: 'stopped', powerState: power.shutdown } : { vmState: 'active', powerState: power.running };
    return { ...state, host: placing.host, node: placing.node, zone, launchedAt: now, fault: null };
  },
  failed: errorOut,
};

/** Writes down that a server is to be evacuated. */
export async function acceptEvacuation(actor: Actor, server: Server, host: string | null): Promise<void> {
  await giveUpMoves(actor, server);
  const migration = newMigration(actor, server, 'evacuation', server.flavor, actor);
  await insertMigration(actor.db, { ...migration, status: 'accepted', destHost: host });
}
