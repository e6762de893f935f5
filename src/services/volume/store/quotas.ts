// The tables of limits, of projects and of quota classes, and sums over volumes and snapshots.
import type { Knex } from 'knex';
import { integer, text } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { Table } from '../../../kernel/db/table.ts';
import type { CountAndSize, SumRow } from './lists.ts';

const projectQuotas = new Table(
  'volume_quotas',
  { projectId: text, resource: text, hardLimit: integer },
  { key: ['projectId', 'resource'] },
);

const classQuotas = new Table(
  'volume_quota_classes',
  { className: text, resource: text, hardLimit: integer },
  { key: ['className', 'resource'] },
);

const byResource = (
  quotas: readonly { readonly resource: string; readonly hardLimit: number }[],
): Map<string, number> => new Map(quotas.map(({ resource, hardLimit }) => [resource, hardLimit]));

/** Reads the limits that were set for a project, by resource. */
export const projectLimits = async (db: Db, projectId: string): Promise<Map<string, number>> =>
  byResource(await projectQuotas.list(db, { where: { projectId } }));

/** Sets or replaces a limit of a project. */
export const writeLimit = (
  db: Db,
  projectId: string,
  resource: string,
  hardLimit: number,
): Promise<void> => projectQuotas.upsert(db, [{ projectId, resource, hardLimit }]);

export async function deleteLimits(db: Db, projectId: string): Promise<void> {
  await projectQuotas.remove(db, { projectId });
}

/** Reads the limits that were set for a quota class, by resource. */
export const classLimits = async (db: Db, className: string): Promise<Map<string, number>> =>
  byResource(await classQuotas.list(db, { where: { className } }));

/** Sets or replaces a limit of a quota class. */
export const writeClassLimit = (
  db: Db,
  className: string,
  resource: string,
  hardLimit: number,
): Promise<void> => classQuotas.upsert(db, [{ className, resource, hardLimit }]);

type SummedTable = 'volume_volumes' | 'volume_snapshots';

/** Counts the volumes or snapshots of a project, and adds up their sizes, for each volume type. */
export async function sumsByType(
  db: Db,
  table: SummedTable,
  projectId: string,
): Promise<(CountAndSize & { readonly typeName: string })[]> {
  const query: Knex.QueryBuilder = db(table)
    .join('volume_types', 'volume_types.id', `${table}.type_id`)
    .where(`${table}.project_id`, projectId)
    .groupBy('volume_types.name')
    .orderBy('volume_types.name')
    .select('volume_types.name as type_name')
    .count('* as count')
    .sum(`${table}.size as size`);
  const rows = (await query) as (SumRow & { readonly type_name: string })[];
  return rows.map(({ type_name: typeName, count, size }) => ({
    typeName,
    count: Number(count),
    size: Number(size),
  }));
}

/**
 * Counts the volumes in a pool, or their snapshots, and adds up their sizes, for each project that
 * owns any.
 */
export async function sumsByProject(
  db: Db,
  table: SummedTable,
  pool: string,
): Promise<(CountAndSize & { readonly projectId: string })[]> {
  const query: Knex.QueryBuilder = db(table);
  if (table === 'volume_volumes') void query.where({ host: pool });
  else void query.whereIn('volume_id', db('volume_volumes').where({ host: pool }).select('id'));
  const rows = (await query
    .groupBy('project_id')
    .orderBy('project_id')
    .select('project_id')
    .count('* as count')
    .sum('size as size')) as (SumRow & { readonly project_id: string })[];
  return rows.map(({ project_id: projectId, count, size }) => ({
    projectId,
    count: Number(count),
    size: Number(size),
  }));
}
