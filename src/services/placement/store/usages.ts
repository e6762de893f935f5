// Usages of a project: the sums of its consumers' allocations, grouped by consumer type.
import type { Knex } from 'knex';
import type { Db } from '../../../kernel/db/database.ts';
import type { Usage } from '../model.ts';

/** Sums the usages of a project or of one of its users, by consumer type and resource class. */
export async function sumUsages(
  db: Db,
  projectId: string,
  userId: string | undefined,
): Promise<Usage[]> {
  const rows = (await consumersOf(db, projectId, userId)
    .join('placement_allocations as a', 'a.consumer_id', 'c.id')
    .groupBy('t.name', 'a.class_id')
    .orderBy(['t.name', 'a.class_id'])
    .select('t.name as typeName', 'a.class_id as classId')
    .sum('a.used as used')) as Usage[];
  return rows.map(({ typeName, classId, used }) => ({ typeName, classId, used: Number(used) }));
}

/** Counts the consumers of a project or of one of its users, by consumer type. */
export async function countConsumers(
  db: Db,
  projectId: string,
  userId: string | undefined,
): Promise<Map<string | null, number>> {
  const rows = (await consumersOf(db, projectId, userId)
    .groupBy('t.name')
    .orderBy('t.name')
    .select('t.name as typeName')
    .count('c.id as count')) as { typeName: string | null; count: number }[];
  return new Map(rows.map(({ typeName, count }) => [typeName, Number(count)]));
}

function consumersOf(db: Db, projectId: string, userId: string | undefined): Knex.QueryBuilder {
  const query: Knex.QueryBuilder = db('placement_consumers as c')
    .leftJoin('placement_consumer_types as t', 't.id', 'c.type_id')
    .where('c.project_id', projectId);
  if (userId !== undefined) void query.where('c.user_id', userId);
  return query;
}
