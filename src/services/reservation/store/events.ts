// The table of events.
import type { Micros } from '../../../kernel/clock.ts';
import { integer, micros, nullable, text, textOf } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { insertRows } from '../../../kernel/db/drivers/recurring.ts';
import { batchesOf } from '../../../kernel/db/owned-rows.ts';
import { Table } from '../../../kernel/db/table.ts';
import { deferred } from '../../../kernel/db/transaction.ts';
import { eventStatuses, type LeaseEvent } from '../model.ts';
import { grouped } from '../../../kernel/db/grouping.ts';

const events = new Table<LeaseEvent>('reservation_events', {
  id: text,
  leaseId: text,
  position: integer,
  eventType: text,
  time: nullable(micros),
  status: nullable(textOf(eventStatuses)),
  createdAt: micros,
  updatedAt: nullable(micros),
});

/** Reads the events of some leases, or of all, by lease, in the order of their creation. */
export async function eventsByLease(
  db: Db,
  leaseIds?: readonly string[],
): Promise<ReadonlyMap<string, LeaseEvent[]>> {
  const found = await events.list(db, {
    where: { leaseId: leaseIds },
    sort: ['leaseId', 'position'],
  });
  return grouped(found, ({ leaseId }) => leaseId);
}

/** Lists the leases that have a due event of this type which has not happened yet, by its time. */
export async function leasesWithDueEvent(
  db: Db,
  eventType: string,
  until: Micros,
): Promise<string[]> {
  const due = await events.list(db, {
    where: { eventType, status: 'UNDONE' },
    conditions: [(query) => void query.where('time', '<=', until)],
    sort: ['time', 'leaseId'],
  });
  return due.map(({ leaseId }) => leaseId);
}

export async function insertEvents(db: Db, created: readonly LeaseEvent[]): Promise<void> {
  for (const batch of batchesOf(created))
    await deferred(
      insertRows(
        db,
        events.name,
        batch.map((event) => events.row(event)),
      ),
    );
}

/** Updates an event. The caller also bumps the revision of the lease in this transaction. */
export async function updateEvent(
  db: Db,
  event: LeaseEvent,
  changes: Partial<Pick<LeaseEvent, 'time' | 'status'>>,
  now: Micros,
): Promise<LeaseEvent> {
  await events.update(db, { id: event.id }, { ...changes, updatedAt: now });
  return { ...event, ...changes, updatedAt: now };
}
