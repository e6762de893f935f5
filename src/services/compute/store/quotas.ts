// The tables of the limits of projects, users and quota classes.
import { integer, text } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { Recurring } from '../../../kernel/db/drivers/recurring.ts';
import { Table } from '../../../kernel/db/table.ts';

const recurring = new Recurring();

type Limits = Record<string, number>;

const quotas = new Table(
  'compute_quotas',
  { projectId: text, userId: text, resource: text, hardLimit: integer },
  { key: ['projectId', 'userId', 'resource'] },
);
const classQuotas = new Table(
  'compute_quota_classes',
  { className: text, resource: text, hardLimit: integer },
  { key: ['className', 'resource'] },
);

interface Row {
  readonly resource: string;
  readonly hard_limit: number | string;
}

const limitsOf = (rows: readonly Row[]): Limits =>
  Object.fromEntries(rows.map((row) => [row.resource, Number(row.hard_limit)]));

/**
 * Reads, in one statement, the limits that are set for the class `default`, for a project, and for
 * a user in the project.
 */
export async function readQuotas(
  db: Db,
  projectId: string,
  userId = '',
): Promise<Record<'defaults' | 'project' | 'user', Limits>> {
  type QuotaRow = Row & { user_id: string | null };
  const rows = await recurring.statement<QuotaRow[]>(
    db,
    'quotas',
    [projectId, userId],
    ([project, user]) =>
      db('compute_quotas')
        .where({ project_id: project })
        .whereIn('user_id', ['', user!])
        .select('user_id', 'resource', 'hard_limit')
        .unionAll(
          db('compute_quota_classes')
            .where({ class_name: 'default' })
            .select(db.raw('null'), 'resource', 'hard_limit'),
        ),
  );
  const of = (user: string | null): Limits => limitsOf(rows.filter((row) => row.user_id === user));
  return { defaults: of(null), project: of(''), user: userId === '' ? {} : of(userId) };
}

/** Inserts or updates limits of a project, or of a user in it. */
export const putQuotas = (
  db: Db,
  projectId: string,
  userId: string,
  values: Readonly<Limits>,
): Promise<void> =>
  quotas.upsert(
    db,
    Object.entries(values).map(([resource, hardLimit]) => ({
      projectId,
      userId,
      resource,
      hardLimit,
    })),
    ['projectId', 'userId', 'resource'],
    ['hardLimit'],
  );

/** Deletes the limits of a user, or those of a project and all its users. */
export async function deleteQuotas(db: Db, projectId: string, userId?: string): Promise<void> {
  await quotas.remove(db, { projectId, ...(userId === undefined ? {} : { userId }) });
}

/** Sums the limits of a project's users for each resource. */
export async function sumUserQuotas(db: Db, projectId: string): Promise<Limits> {
  const rows: Row[] = await db('compute_quotas')
    .where({ project_id: projectId })
    .whereNot({ user_id: '' })
    .groupBy('resource')
    .orderBy('resource')
    .select('resource')
    .select(db.raw('sum(hard_limit) as hard_limit'));
  return limitsOf(rows);
}

export async function readClassQuotas(db: Db, className: string): Promise<Limits> {
  const found = await classQuotas.list(db, { where: { className } });
  return Object.fromEntries(found.map(({ resource, hardLimit }) => [resource, hardLimit]));
}

/** Inserts or updates limits of a quota class. */
export const putClassQuotas = (
  db: Db,
  className: string,
  values: Readonly<Limits>,
): Promise<void> =>
  classQuotas.upsert(
    db,
    Object.entries(values).map(([resource, hardLimit]) => ({ className, resource, hardLimit })),
    ['className', 'resource'],
    ['hardLimit'],
  );
