// Events: their rows.
import type { Micros } from '../../../kernel/clock.ts';
import type { Db } from '../../../kernel/db/database.ts';
import type { EventStatus, LeaseEvent } from '../model.ts';

interface Row {
  id: string;
  lease_id: string;
  position: number;
  event_type: string;
  time: number | null;
  status: string | null;
  created_at: number;
  updated_at: number | null;
}

const record = (row: Row): LeaseEvent => ({
  id: row.id,
  leaseId: row.lease_id,
  position: row.position,
  eventType: row.event_type,
  time: row.time === null ? null : Number(row.time),
  status: row.status as EventStatus | null,
  createdAt: Number(row.created_at),
  updatedAt: row.updated_at === null ? null : Number(row.updated_at),
});

/** The events of leases, or of all, by lease, in the order in which they were made. */
export async function eventsOf(
  db: Db,
  leases?: readonly string[],
): Promise<Map<string, LeaseEvent[]>> {
  const query = db('reservation_events').orderBy(['lease_id', 'position']);
  const rows = (await (leases ? query.whereIn('lease_id', leases) : query)) as Row[];
  const byLease = new Map<string, LeaseEvent[]>();
  for (const row of rows) {
    const before = byLease.get(row.lease_id);
    if (before) before.push(record(row));
    else byLease.set(row.lease_id, [record(row)]);
  }
  return byLease;
}

/** The leases of which an event of a type is due and not done, in the order of their times. */
export async function leasesDue(db: Db, eventType: string, until: Micros): Promise<string[]> {
  const rows = await db('reservation_events')
    .where({ event_type: eventType, status: 'UNDONE' })
    .where('time', '<=', until)
    .orderBy(['time', 'lease_id'])
    .select('lease_id');
  return (rows as { lease_id: string }[]).map((row) => row.lease_id);
}

export async function insertEvents(db: Db, events: readonly LeaseEvent[]): Promise<void> {
  if (!events.length) return;
  const rows = events.map(
    ({ id, leaseId, position, eventType, time, status, createdAt, updatedAt }) => ({
      id,
      lease_id: leaseId,
      position,
      event_type: eventType,
      time,
      status,
      created_at: createdAt,
      updated_at: updatedAt,
    }),
  );
  await db('reservation_events').insert(rows);
}

/** Writes over an event: whoever does has counted its lease up, or will. */
export async function updateEvent(
  db: Db,
  event: LeaseEvent,
  changes: Partial<Pick<LeaseEvent, 'time' | 'status'>>,
  now: Micros,
): Promise<LeaseEvent> {
  await db('reservation_events')
    .where({ id: event.id })
    .update({ ...changes, updated_at: now });
  return { ...event, ...changes, updatedAt: now };
}
