// The table of the sessions of users who have presented a SAML assertion.
import { jsonObject, micros, text } from '../../../../kernel/db/columns.ts';
import type { Micros } from '../../../../kernel/clock.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { Table } from '../../../../kernel/db/table.ts';
import type { SamlSession } from '../../model.ts';

const sessions = new Table<SamlSession>('identity_saml_sessions', {
  id: text,
  assertion: text,
  attributes: jsonObject(),
  expiresAt: micros,
});

/**
 * Stores a session, and deletes those that have expired.
 * @throws the driver's error of `isDuplicate` if a session of the assertion is stored
 */
export async function insertSession(db: Db, session: SamlSession, now: Micros): Promise<void> {
  await db(sessions.name).where('expires_at', '<=', now).delete();
  await sessions.insert(db, session);
}

export const findSession = (db: Db, id: string): Promise<SamlSession | undefined> =>
  sessions.find(db, { id });
