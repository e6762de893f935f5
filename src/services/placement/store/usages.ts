// Usages of a project: sums over the allocations of its consumers, by type of consumer.
import type { Usage } from '../model.ts';
import type { Db } from '../../../kernel/db/database.ts';

/** The usages of a project, or of one of its users, by type of consumer and resource class. */
export async function sumUsages(
  db: Db,
  projectId: string,
  userId: string | undefined,
): Promise<Usage[]> {
  const query = ofProject(db, projectId, userId)
    .join('placement_allocations as a', 'a.consumer_id', 'c.id')
    .groupBy('t.name', 'a.class_id')
    .orderBy(['t.name', 'a.class_id'])
    .select('t.name as type_name', 'a.class_id as class_id')
    .sum('a.used as used');
  const rows = (await query) as { type_name: string | null; class_id: number; used: number }[];
  return rows.map((row) => ({
    typeName: row.type_name,
    classId: row.class_id,
    used: Number(row.used),
  }));
}

/** How many consumers of each type a project has, or one of its users. */
export async function countConsumers(
  db: Db,
  projectId: string,
  userId: string | undefined,
): Promise<Map<string | null, number>> {
  const query = ofProject(db, projectId, userId)
    .groupBy('t.name')
    .orderBy('t.name')
    .select('t.name as type_name')
    .count('c.id as count');
  const rows = (await query) as unknown as { type_name: string | null; count: number }[];
  return new Map(rows.map((row) => [row.type_name, Number(row.count)]));
}

function ofProject(
  db: Db,
  projectId: string,
  userId: string | undefined,
): ReturnType<Db['queryBuilder']> {
  const query = db('placement_consumers as c')
    .leftJoin('placement_consumer_types as t', 't.id', 'c.type_id')
    .where('c.project_id', projectId);
  if (userId !== undefined) query.where('c.user_id', userId);
  return query as ReturnType<Db['queryBuilder']>;
}
