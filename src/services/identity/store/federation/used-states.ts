// The table of single sign-ons that have ended, so that none ends twice.
import { micros, text } from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { Table } from '../../../../kernel/db/table.ts';
import type { Micros } from '../../../../kernel/clock.ts';

const usedStates = new Table(
  'identity_used_sso_states',
  { state: text, expiresAt: micros },
  { key: 'state' },
);

/**
 * Stores that a sign-in has ended, and deletes those that have expired.
 * @throws the driver's error of `isDuplicate` if it has ended before
 */
export async function insertUsedState(
  db: Db,
  { state, expiresAt }: { readonly state: string; readonly expiresAt: Micros },
  now: Micros,
): Promise<void> {
  await db(usedStates.name).where('expires_at', '<', now).delete();
  await usedStates.insert(db, { state, expiresAt });
}
