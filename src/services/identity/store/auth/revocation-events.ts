// The table of revocation events.
import { integer, micros, nullable, text } from '../../../../kernel/db/columns.ts';
import type { Micros } from '../../../../kernel/clock.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { deleteWhere } from '../../../../kernel/db/owned-rows.ts';
import { Table } from '../../../../kernel/db/table.ts';
import type { RevocationEvent } from '../../model.ts';

const events = new Table<RevocationEvent & { readonly id: number }, 'id'>(
  'identity_revocation_events',
  {
    id: integer,
    userId: nullable(text),
    projectId: nullable(text),
    trustId: nullable(text),
    consumerId: nullable(text),
    auditId: nullable(text),
    revokedAt: micros,
  },
  { generated: 'id' },
);

/** Stores events, and deletes those from before `oldest`. */
export async function insertRevocationEvents(
  db: Db,
  all: readonly RevocationEvent[],
  oldest: Micros,
): Promise<void> {
  await db(events.name).where('revoked_at', '<', oldest).delete();
  await events.insertAll(db, all);
}

/** The ids of what events are about. */
type Owners = Partial<Record<'userIds' | 'projectIds' | 'trustIds', readonly string[]>>;

/** Deletes the events about some users, projects and trusts. */
export async function deleteRevocationEventsOf(
  db: Db,
  { userIds = [], projectIds = [], trustIds = [] }: Owners,
): Promise<void> {
  await deleteWhere(db, events.name, 'user_id', userIds);
  await deleteWhere(db, events.name, 'project_id', projectIds);
  await deleteWhere(db, events.name, 'trust_id', trustIds);
}

/** The events after a time, or all, oldest first. */
export const listRevocationEvents = (db: Db, after?: Micros): Promise<RevocationEvent[]> =>
  events.list(db, {
    conditions: [(query) => void (after === undefined || query.where('revoked_at', '>', after))],
    sort: ['revokedAt', 'id'],
  });
