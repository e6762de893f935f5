// Limits of projects, users and classes, and what counts against them.
import type { Db } from '../../../kernel/db/database.ts';

type Limits = Record<string, number>;

interface Row {
  resource: string;
  hard_limit: number;
}

const limits = (rows: readonly Row[]): Limits =>
  Object.fromEntries(rows.map((row) => [row.resource, Number(row.hard_limit)]));

/**
 * The limits that were set for the class `default`, for a project itself, and for a user in it: one
 * statement reads them.
 */
export async function quotasOf(
  db: Db,
  projectId: string,
  userId = '',
): Promise<Record<'defaults' | 'project' | 'user', Limits>> {
  const own = db('compute_quotas')
    .where({ project_id: projectId })
    .whereIn('user_id', ['', userId]);
  const ofClass = db('compute_quota_classes').where({ class_name: 'default' });
  const rows = (await own
    .select('user_id', 'resource', 'hard_limit')
    .unionAll(ofClass.select(db.raw('null'), 'resource', 'hard_limit'))) as (Row & {
    user_id: string | null;
  })[];
  const of = (user: string | null): Limits => limits(rows.filter((row) => row.user_id === user));
  return { defaults: of(null), project: of(''), user: userId === '' ? {} : of(userId) };
}

export async function putQuotas(
  db: Db,
  projectId: string,
  userId: string,
  values: Readonly<Partial<Limits>>,
): Promise<void> {
  const own = { project_id: projectId, user_id: userId };
  const rows = Object.entries(values).map(([resource, limit]) => ({
    ...own,
    resource,
    hard_limit: limit,
  }));
  if (rows.length)
    await db('compute_quotas')
      .insert(rows)
      .onConflict(['project_id', 'user_id', 'resource'])
      .merge(['hard_limit']);
}

/** Deletes limits: those of a user, or of a project with all its users. */
export async function deleteQuotas(db: Db, projectId: string, userId?: string): Promise<void> {
  const query = db('compute_quotas').where({ project_id: projectId });
  if (userId !== undefined) query.where({ user_id: userId });
  await query.delete();
}

/** The limits of users in a project, summed up for each resource. */
export async function sumsOfUsers(db: Db, projectId: string): Promise<Limits> {
  const rows = (await db('compute_quotas')
    .where({ project_id: projectId })
    .whereNot({ user_id: '' })
    .groupBy('resource')
    .orderBy('resource')
    .select('resource')
    .sum('hard_limit as hard_limit')) as Row[];
  return limits(rows);
}

export async function classQuotasOf(db: Db, className: string): Promise<Limits> {
  return limits(
    (await db('compute_quota_classes')
      .where({ class_name: className })
      .orderBy('resource')) as Row[],
  );
}

export async function putClassQuotas(
  db: Db,
  className: string,
  values: Readonly<Partial<Limits>>,
): Promise<void> {
  const rows = Object.entries(values).map(([resource, limit]) => ({
    class_name: className,
    resource,
    hard_limit: limit,
  }));
  if (rows.length)
    await db('compute_quota_classes')
      .insert(rows)
      .onConflict(['class_name', 'resource'])
      .merge(['hard_limit']);
}
