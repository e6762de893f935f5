// The restore that has been committed in the central database, but not in all regions yet: a shared
// value, so that the next start completes it if the process is killed in between.
import type { Db } from '../../../kernel/db/database.ts';
import { readSharedValue, writeSharedValue, writeSharedValues } from '../../../kernel/db/state.ts';

const name = 'restore.pending';

export interface PendingRestore {
  /** The id of the snapshot. */
  readonly snapshot: number;
  /** The regions whose databases may still have their old contents. */
  readonly regions: readonly string[];
}

export async function readPending(db: Db): Promise<PendingRestore | undefined> {
  const stored = await readSharedValue(db, name);
  return stored ? (JSON.parse(stored) as PendingRestore) : undefined;
}

export const writePending = (db: Db, pending: PendingRestore): Promise<void> =>
  writeSharedValue(db, name, JSON.stringify(pending));

/** The shared values that say that no restore is pending. */
export const nonePending: Readonly<Record<string, string>> = { [name]: '' };

export const clearPending = (db: Db): Promise<void> => writeSharedValues(db, nonePending);
