// The tables of quotas: the limits that were set for projects and for classes; and sums over
// volumes and snapshots.
import type { Db } from '../../../kernel/db/database.ts';

/** The limits that were set for a project, by resource. */
export async function projectLimits(db: Db, projectId: string): Promise<Map<string, number>> {
  const rows = (await db('volume_quotas').where({ project_id: projectId }).orderBy('resource')) as {
    resource: string;
    hard_limit: number;
  }[];
  return new Map(rows.map((row) => [row.resource, Number(row.hard_limit)]));
}

export async function writeLimit(
  db: Db,
  projectId: string,
  resource: string,
  limit: number,
): Promise<void> {
  await db('volume_quotas').where({ project_id: projectId, resource }).delete();
  await db('volume_quotas').insert({ project_id: projectId, resource, hard_limit: limit });
}

export async function deleteLimits(db: Db, projectId: string): Promise<void> {
  await db('volume_quotas').where({ project_id: projectId }).delete();
}

/** The number of a project's volumes or snapshots of each type, and their size in GiB. */
export async function sumsByType(
  db: Db,
  table: 'volume_volumes' | 'volume_snapshots',
  projectId: string,
): Promise<{ typeName: string; count: number; size: number }[]> {
  const rows = (await db(table)
    .join('volume_types', 'volume_types.id', `${table}.type_id`)
    .where(`${table}.project_id`, projectId)
    .groupBy('volume_types.name')
    .orderBy('volume_types.name')
    .select('volume_types.name as type_name')
    .count('* as count')
    .sum(`${table}.size as size`)) as unknown as {
    type_name: string;
    count: number;
    size: number;
  }[];
  return rows.map((row) => ({
    typeName: row.type_name,
    count: Number(row.count),
    size: Number(row.size),
  }));
}

/** The number of volumes or snapshots that each project has in a pool, and their size in GiB. */
export async function sumsByProject(
  db: Db,
  table: 'volume_volumes' | 'volume_snapshots',
  pool: string,
): Promise<{ projectId: string; count: number; size: number }[]> {
  const query = db(table);
  if (table === 'volume_volumes') void query.where({ host: pool });
  else void query.whereIn('volume_id', db('volume_volumes').where({ host: pool }).select('id'));
  const rows = (await query
    .groupBy('project_id')
    .orderBy('project_id')
    .select('project_id')
    .count('* as count')
    .sum('size as size')) as unknown as { project_id: string; count: number; size: number }[];
  return rows.map((row) => ({
    projectId: row.project_id,
    count: Number(row.count),
    size: Number(row.size),
  }));
}

/** The limits that were set for a class, by resource. */
export async function classLimits(db: Db, name: string): Promise<Map<string, number>> {
  const rows = (await db('volume_quota_classes')
    .where({ class_name: name })
    .orderBy('resource')) as {
    resource: string;
    hard_limit: number;
  }[];
  return new Map(rows.map((row) => [row.resource, Number(row.hard_limit)]));
}

export async function writeClassLimit(
  db: Db,
  name: string,
  resource: string,
  limit: number,
): Promise<void> {
  await db('volume_quota_classes')
    .insert({ class_name: name, resource, hard_limit: limit })
    .onConflict(['class_name', 'resource'])
    .merge();
}
