// The locks of clusters and nodes: a cluster action has its cluster alone, node actions share it.
import type { Db } from '../../../../kernel/db/database.ts';
import * as store from '../../store/index.ts';

/**
 * Locks a target for one action, or joins others that share it.
 * @returns whether it is locked now
 */
export async function acquire(
  db: Db,
  target: string,
  actionId: string,
  { exclusive, steal = false }: { exclusive: boolean; steal?: boolean },
): Promise<boolean> {
  const held = await store.locks.find(db, { target });
  if (!held) {
    await store.locks.insert(db, { target, exclusive, actionIds: [actionId] });
    return true;
  }
  if (held.actionIds.includes(actionId)) return true;
  if (steal) {
    await store.locks.update(db, { target }, { exclusive, actionIds: [actionId] });
    return true;
  }
  if (exclusive || held.exclusive) return false;
  await store.locks.update(db, { target }, { actionIds: [...held.actionIds, actionId] });
  return true;
}

/** Gives a lock back, if the action still has it. */
export async function release(db: Db, target: string, actionId: string): Promise<void> {
  const held = await store.locks.find(db, { target });
  if (!held?.actionIds.includes(actionId)) return;
  const left = held.actionIds.filter((id) => id !== actionId);
  if (left.length) await store.locks.update(db, { target }, { actionIds: left });
  else await store.locks.remove(db, { target });
}
