// The quotas of projects that differ from the default, how much a project has, and the turns that
// writers near a quota take.
import { SerializationFailure } from '../../../kernel/db/errors.ts';
import { beingChanged, contended } from './table.ts';
import type { Db } from '../../../kernel/db/database.ts';

interface Row {
  project_id: string;
  resource: string;
  amount: number;
}

const table = (db: Db) => db<Row>('network_quotas');

/** The quotas of a project that differ from the default, by resource. */
export async function quotasOf(db: Db, projectId: string): Promise<Map<string, number>> {
  const rows = await table(db).where({ project_id: projectId }).orderBy('resource');
  return new Map(rows.map((row) => [row.resource, row.amount]));
}

/** The same of all projects that have any, in the order of their ids. */
export async function allQuotas(db: Db): Promise<Map<string, Map<string, number>>> {
  const found = new Map<string, Map<string, number>>();
  for (const row of await table(db).orderBy(['project_id', 'resource'])) {
    const own = found.get(row.project_id) ?? new Map<string, number>();
    found.set(row.project_id, own.set(row.resource, row.amount));
  }
  return found;
}

export async function setQuota(
  db: Db,
  projectId: string,
  resource: string,
  amount: number,
): Promise<void> {
  await table(db)
    .insert({ project_id: projectId, resource, amount })
    .onConflict(['project_id', 'resource'])
    .merge();
}

/** @returns how many there were */
export async function dropQuotas(db: Db, projectId: string): Promise<number> {
  return table(db).where({ project_id: projectId }).delete();
}

/** How many rows of a table belong to the project. */
export async function countOf(db: Db, name: string, projectId: string): Promise<number> {
  const [row] = (await db(name).where({ project_id: projectId }).count('* as count')) as {
    count: number;
  }[];
  return Number(row!.count);
}

const turns = (db: Db) => db<{ project_id: string; turn: number }>('network_projects');

/** The turn of a project: how often its writers took one. */
export async function lockNameOf(db: Db, projectId: string): Promise<number> {
  return Number((await turns(db).where({ project_id: projectId }).first())?.turn ?? 0);
}

/**
 * Takes the turn after the one that was read.
 * @throws Contention where another transaction has taken it
 */
export async function acquireLockAfter(db: Db, projectId: string, turn: number): Promise<void> {
  const error = beingChanged('quota');
  if (turn === 0)
    return void (await contended(error, () =>
      turns(db).insert({ project_id: projectId, turn: 1 }),
    ));
  const taken = await turns(db)
    .where({ project_id: projectId, turn })
    .update({ turn: turn + 1 });
  // The retry, whatever work it is in, takes its turn before it reads: after a read, MySQL shows a
  // state from before the turn.
  if (!taken) throw new SerializationFailure(error, (retried) => waitForLock(retried, projectId));
}

/** Takes the next turn, once the transaction that has taken the one before is done. */
export async function waitForLock(db: Db, projectId: string): Promise<void> {
  const taken = await turns(db).where({ project_id: projectId }).increment('turn', 1);
  if (!taken) await acquireLockAfter(db, projectId, 0);
}
