// Starts, lists and cancels migrations.
import { SECOND } from '../../../../kernel/clock.ts';
import { inCentralTransaction } from '../../../../kernel/context.ts';
import { isDuplicate } from '../../../../kernel/db/errors.ts';
import { newUuid } from '../../../../kernel/ids.ts';
import { runDueJobs } from '../../../../kernel/jobs/due-jobs.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { Query } from '../../../../kernel/query.ts';
import { centralRegionOf } from '../../../../kernel/regions.ts';
import type { Migration, Move } from '../../model.ts';
import * as store from '../../store/migrations.ts';
import { typed } from '../errors.ts';
import { readFilters, readLimit } from '../pages.ts';
import { loadSettings } from '../settings.ts';
import { planMigration, type Plan } from './plan.ts';
import type { MigrationRequest } from './request.ts';
import { scheduleStep } from './worker.ts';

/** A migration with its moves. */
export interface MigrationReport {
  readonly migration: Omit<Migration, 'sequence'>;
  readonly moves: readonly Move[];
}

/**
 * Plans a migration and starts it. Runs outside of a transaction, because pods are asked.
 * @throws 409 if another request has just begun to move one of the resources
 */
export async function startMigration(
  context: Context,
  request: MigrationRequest,
): Promise<MigrationReport> {
  const report = reportOf(context, request, await planMigration(context, request));
  const { migration, moves } = report;
  const { migrationStepDuration } = await loadSettings(context);
  // The jobs are in the database of the central region. They wait for the rows, whose insertion may
  // be what a dead process has not come to.
  for (const { id } of moves) await scheduleStep(context, id, migrationStepDuration * SECOND);
  try {
    await inCentralTransaction(context, ({ db }) => store.insertMigration(db, migration, moves));
  } catch (error) {
    if (isDuplicate(error)) throw typed(409, 'One of the resources is being moved already');
    throw error;
  }
  return report;
}

function reportOf(
  { now }: Context,
  { scopeKey, scopeId }: MigrationRequest,
  { moves, refused }: Plan,
): MigrationReport {
  const id = newUuid();
  const migration = {
    id,
    scopeKey,
    scopeId,
    refused,
    status: moves.length ? 'RUNNING' : 'SUCCESS',
    createdAt: now,
    finishedAt: moves.length ? null : now,
    revision: 0,
  } as const;
  return {
    migration,
    moves: moves.map((move, position) => ({
      ...move,
      id: newUuid(),
      migrationId: id,
      position,
      status: 'MOVING',
      step: 0,
      attempts: 0,
      error: null,
      updatedAt: now,
      revision: 0,
    })),
  };
}

/** Runs the due steps, which the database of the central region has. */
export async function runDueSteps({ cloud, now }: Context): Promise<void> {
  await runDueJobs(cloud, centralRegionOf(cloud)!, now);
}

/** Finds a migration. @throws 404 */
export async function findMigration({ db }: Context, id: string): Promise<MigrationReport> {
  const migration = await store.findMigration(db, id);
  if (!migration) throw typed(404, 'Migration not found');
  return { migration, moves: await store.listMoves(db, [id]) };
}

/** A page of migrations, and the marker of the next one. */
export interface MigrationPage {
  readonly reports: readonly MigrationReport[];
  readonly next: { readonly limit: number; readonly marker: string } | undefined;
}

/** Lists a page of migrations, latest first. @throws 400 */
export async function listMigrations({ db }: Context, query: Query): Promise<MigrationPage> {
  const limit = readLimit(query.last('limit'));
  const { status } = readFilters(query.entries(), ['status']);
  const marker = query.last('marker');
  const after = marker === undefined ? undefined : await store.findMigration(db, marker);
  if (marker !== undefined && !after) throw typed(400, `Invalid marker: ${marker}`);
  const migrations = await store.listMigrations(db, {
    status: status?.toUpperCase(),
    after,
    limit,
  });
  const moves = await store.listMoves(
    db,
    migrations.map(({ id }) => id),
  );
  const last = migrations.at(-1);
  return {
    reports: migrations.map((migration) => ({
      migration,
      moves: moves.filter(({ migrationId }) => migrationId === migration.id),
    })),
    next: last && migrations.length >= limit ? { limit, marker: last.id } : undefined,
  };
}

/**
 * Cancels a migration: what has not been switched yet is undone. @throws 404; 409 if it has ended
 */
export async function cancelMigration(context: Context, id: string): Promise<MigrationReport> {
  const report = await inCentralTransaction(context, async (central) => {
    const { migration, moves } = await findMigration(central, id);
    const { status } = migration;
    if (status !== 'RUNNING' && status !== 'CANCELLING')
      throw typed(409, `The migration has ended with the status ${status}`);
    const cancelled = await store.updateMigration(central.db, migration as Migration, {
      status: 'CANCELLING',
    });
    return { migration: cancelled, moves };
  });
  for (const { id: moveId, status } of report.moves)
    if (status === 'MOVING' || status === 'UNDOING') await scheduleStep(context, moveId, 0);
  return report;
}
