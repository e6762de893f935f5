// The quotas of projects that differ from the default, the usage of projects, and the lock that
// serializes writers of a project that is near a quota.
import { integer, named, text } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { retryOnConstraint, SerializationFailure } from '../../../kernel/db/errors.ts';
import { Table } from '../../../kernel/db/table.ts';
import { beingChanged } from './conflicts.ts';

const quotas = new Table(
  'network_quotas',
  { project_id: text, resource: text, amount: integer },
  { key: ['project_id', 'resource'] },
);

/** The quotas of a project that differ from the default, by resource. */
export async function quotasOf(db: Db, projectId: string): Promise<Map<string, number>> {
  const rows = await quotas.list(db, { where: { project_id: projectId } });
  return new Map(rows.map((row) => [row.resource, row.amount]));
}

/** The quotas of every project that has any, by project in the order of ids. */
export async function allQuotas(db: Db): Promise<Map<string, Map<string, number>>> {
  const byProject = new Map<string, Map<string, number>>();
  for (const row of await quotas.list(db)) {
    const own = byProject.get(row.project_id) ?? new Map<string, number>();
    byProject.set(row.project_id, own.set(row.resource, row.amount));
  }
  return byProject;
}

export async function setQuota(
  db: Db,
  projectId: string,
  resource: string,
  amount: number,
): Promise<void> {
  await quotas.upsert(db, [{ project_id: projectId, resource, amount }]);
}

/** @returns how many quotas there were */
export async function deleteQuotas(db: Db, projectId: string): Promise<number> {
  return quotas.remove(db, { project_id: projectId });
}

/** How many rows of a table belong to the project. */
export async function countOf(db: Db, name: string, projectId: string): Promise<number> {
  const [row] = (await db(name).where({ project_id: projectId }).count('* as count')) as {
    count: number;
  }[];
  return Number(row!.count);
}

/** `revision` counts how often the project's lock has been acquired. */
const locks = new Table(
  'network_projects',
  { project_id: text, revision: named('turn', integer) },
  { key: 'project_id' },
);

/** The revision of a project's lock; 0 before it is first acquired. */
export async function lockRevisionOf(db: Db, projectId: string): Promise<number> {
  return (await locks.find(db, { project_id: projectId }))?.revision ?? 0;
}

/**
 * Acquires a project's lock at the revision that was read.
 * @throws SerializationFailure if another transaction has acquired it since
 */
export async function acquireLock(db: Db, projectId: string, revision: number): Promise<void> {
  const refusal = () => beingChanged('quota');
  if (revision === 0) {
    await retryOnConstraint(locks.insert(db, { project_id: projectId, revision: 1 }), refusal);
    return;
  }
  const where = { project_id: projectId, revision };
  if (await locks.update(db, where, { revision: revision + 1 })) return;
  // The retry locks before it reads, whichever transaction it is in: after a read, MySQL shows the
  // state from before the lock was acquired.
  throw new SerializationFailure(refusal(), (retried) => waitForLock(retried, projectId));
}

/** Acquires a project's lock after the transaction that holds it has ended. */
async function waitForLock(db: Db, projectId: string): Promise<void> {
  const locked = await db(locks.name).where({ project_id: projectId }).increment('turn', 1);
  if (!locked) await acquireLock(db, projectId, 0);
}
