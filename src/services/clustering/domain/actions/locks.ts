// The locks of clusters and nodes. A cluster action locks its cluster exclusively; node actions
// share the lock of their cluster.
import type { Db } from '../../../../kernel/db/database.ts';
import * as store from '../../store/index.ts';

/**
 * Locks a target for an action, or joins the actions that share the lock.
 * @param steal takes the lock away from other actions
 * @returns whether the action holds the lock now
 */
export async function acquire(
  db: Db,
  target: string,
  actionId: string,
  { exclusive, steal = false }: { exclusive: boolean; steal?: boolean },
): Promise<boolean> {
  if (await store.insertLock(db, { target, exclusive, actionIds: [actionId] })) return true;
  const lock = await store.lockOn(db, target);
  if (lock.actionIds.includes(actionId)) return true;
  if (steal) {
    await store.locks.update(db, { target }, { exclusive, actionIds: [actionId] });
    return true;
  }
  if (exclusive || lock.exclusive) return false;
  await store.locks.update(db, { target }, { actionIds: [...lock.actionIds, actionId] });
  return true;
}

/** Releases a lock, if the action still holds it. */
export async function release(db: Db, target: string, actionId: string): Promise<void> {
  if (await store.removeLockOf(db, target, actionId)) return;
  const lock = await store.locks.find(db, { target });
  if (!lock?.actionIds.includes(actionId)) return;
  const actionIds = lock.actionIds.filter((id) => id !== actionId);
  if (actionIds.length) await store.locks.update(db, { target }, { actionIds });
  else await store.locks.remove(db, { target });
}
