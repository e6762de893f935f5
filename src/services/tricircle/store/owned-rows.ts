// Deletes everything that some projects have in Tricircle.
import { deleteByIdWhere, valuesWhere } from '../../../kernel/db/owned-rows.ts';
import type { Db } from '../../../kernel/db/database.ts';

/** Deletes routings, bindings, jobs and moves. @returns how many routings and bindings */
export async function deleteRowsOf(
  db: Db,
  projectIds: readonly string[],
): Promise<{ readonly routings: number; readonly bindings: number }> {
  const moves = await valuesWhere(db, 'tricircle_moves', 'project_id', projectIds);
  await deleteByIdWhere(db, 'tricircle_moving', 'move_id', moves, 'move_id');
  const migrations = await valuesWhere(db, 'tricircle_moves', 'id', moves, 'migration_id');
  await deleteByIdWhere(db, 'tricircle_moves', 'id', moves);
  const unfinished = await valuesWhere(
    db,
    'tricircle_moves',
    'migration_id',
    migrations,
    'migration_id',
  );
  const ended = migrations.filter((id) => !unfinished.includes(id));
  await deleteByIdWhere(db, 'tricircle_migrations', 'id', ended);
  for (const name of ['job_logs', 'jobs', 'quota_reservations'])
    await deleteByIdWhere(db, `tricircle_${name}`, 'project_id', projectIds);
  const placements = 'tricircle_volume_placements';
  await deleteByIdWhere(db, placements, 'project_id', projectIds, 'project_id');
  return {
    routings: await deleteByIdWhere(db, 'tricircle_routings', 'project_id', projectIds),
    bindings: await deleteByIdWhere(db, 'tricircle_bindings', 'tenant_id', projectIds),
  };
}
