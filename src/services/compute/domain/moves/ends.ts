// Ends moves: confirms, aborts, abandons and fails them.
import type { Context } from '../../../../kernel/model.ts';
import { deleteAllocations, setAllocations } from '../../clients/placement.ts';
import { findMigration, openMigrations, updateMigration } from '../../store/servers/migrations.ts';
import { changeServer } from '../servers/change.ts';
import { notifyServer, notifyStep } from '../servers/notifications.ts';
import { allocationsOfConsumer, noAllocations } from '../scheduler/scheduling.ts';
import type { Migration, Server, ServerChanges } from '../../model.ts';

/** Confirms a move: deletes the allocations on the old host. */
export async function confirmMove(context: Context, server: Server): Promise<void> {
  const { db, now } = context;
  const migration = await findMigration(db, server.uuid, ['finished', 'confirming']);
  if (!migration) return;
  await deleteAllocations(context, migration.uuid);
  await updateMigration(db, migration, { status: 'confirmed' }, now);
}

/** Aborts a running live migration: the server keeps its host. */
export async function abortLiveMigration(
  context: Context,
  server: Server,
  migration: Migration,
): Promise<void> {
  await notifyStep(context, server, { action: 'live_migration_abort' });
  await notifyRollback(context, server, migration);
  await endOnCurrentHost(context, server, migration, 'cancelled');
  await changeServer(context, server, { taskState: null, actionId: null });
}

/** Reports that a live migration is undone, on both hosts. */
export async function notifyRollback(
  context: Context,
  server: Server,
  { destHost: host }: Migration,
): Promise<void> {
  await notifyServer(context, server, { action: 'live_migration_rollback', phase: 'start' });
  await notifyStep(context, server, { action: 'live_migration_rollback_dest', host });
  await notifyServer(context, server, { action: 'live_migration_rollback', phase: 'end' });
}

/**
 * Reverts the allocations of a move: replaces the server's allocations on the destination by those
 * that the migration keeps for the source. Does nothing if the migration has none.
 */
export async function revertAllocations(
  context: Context,
  server: Server,
  { uuid: consumer }: Migration,
): Promise<void> {
  const { uuid, projectId, userId } = server;
  const kept = await allocationsOfConsumer(context, consumer);
  if (!kept.size) return;
  await setAllocations(context, [
    { consumer, projectId, userId, allocations: noAllocations },
    { consumer: uuid, projectId, userId, allocations: kept },
  ]);
}

/** The statuses of a migration in which the server is on the destination. */
const statusesOnDestination = ['finished', 'confirming', 'reverting'];

/**
 * Ends a migration with the server on its current host. The server keeps its allocations there, and
 * those on the other host are deleted.
 */
async function endOnCurrentHost(
  context: Context,
  server: Server,
  migration: Migration,
  status: string,
): Promise<void> {
  if (statusesOnDestination.includes(migration.status))
    await deleteAllocations(context, migration.uuid);
  else await revertAllocations(context, server, migration);
  await updateMigration(context.db, migration, { status }, context.now);
}

/**
 * Abandons all open moves of a server. When upstream resets the state of a server, it leaves the
 * allocations of a move for an operator to repair (`nova-manage placement heal_allocations`). The
 * emulator has no such command, so it deletes them.
 */
export async function abandonMoves(context: Context, server: Server): Promise<void> {
  for (const migration of await openMigrations(context.db, [server.uuid]))
    await endOnCurrentHost(context, server, migration, 'error');
  if (server.host === null) await deleteAllocations(context, server.uuid);
}

/** Abandons the moves of a server whose task has failed, and sets its state to error. */
export const failMove = async (context: Context, server: Server): Promise<ServerChanges> => {
  await abandonMoves(context, server);
  return { vmState: 'error' };
};
