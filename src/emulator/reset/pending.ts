// The reset that is under way: a shared value, so that the next start completes it if the process
// is killed between the transactions of two databases.
import type { Db } from '../../kernel/db/database.ts';
import { readSharedValue, writeSharedValue } from '../../kernel/db/state.ts';

const name = 'reset.pending';

/** What is being reset; everything, if both names are absent. */
export interface PendingReset {
  readonly region?: string | undefined;
  readonly service?: string | undefined;
}

export async function readPendingReset(db: Db): Promise<PendingReset | undefined> {
  const stored = await readSharedValue(db, name);
  return stored ? (JSON.parse(stored) as PendingReset) : undefined;
}

export const writePendingReset = (db: Db, pending: PendingReset): Promise<void> =>
  writeSharedValue(db, name, JSON.stringify(pending));

export const clearPendingReset = (db: Db): Promise<void> => writeSharedValue(db, name, '');
