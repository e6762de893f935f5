// Allocations: which slots of which hosts reservations have, and when.
import type { Knex } from 'knex';
import type { Micros } from '../../../kernel/clock.ts';
import type { Db } from '../../../kernel/db/database.ts';
import type { Allocation, Span } from '../model.ts';

interface Row {
  host_id: number;
  reservation_id: string;
  slots: number;
  start_at: number;
  end_at: number;
}

const record = (row: Row): Allocation => ({
  hostId: row.host_id,
  reservationId: row.reservation_id,
  slots: row.slots,
  startAt: Number(row.start_at),
  endAt: Number(row.end_at),
});

/** Allocations that meet a span of time, leaving a reservation's own out. */
export async function allocationsDuring(
  db: Db,
  { startAt, endAt }: Span,
  without?: string,
): Promise<Allocation[]> {
  const query = db('reservation_allocations')
    .where('end_at', '>', startAt)
    .where('start_at', '<', endAt)
    .orderBy(['host_id', 'start_at', 'reservation_id']);
  if (without !== undefined) void query.whereNot({ reservation_id: without });
  return ((await query) as Row[]).map(record);
}

/** An allocation with the lease that it is of. */
export interface LeasedAllocation extends Allocation {
  readonly leaseId: string;
  readonly resourceType: string;
}

/** What a list of allocations is narrowed by. */
export interface AllocationFilter {
  readonly hostId?: number;
  readonly leaseId?: string;
  readonly reservationId?: string;
  /** Only those that are not over then. */
  readonly since?: Micros;
}

export async function listAllocations(
  db: Db,
  filter: AllocationFilter,
): Promise<LeasedAllocation[]> {
  const { hostId, leaseId, reservationId, since } = filter;
  const query: Knex.QueryBuilder = db('reservation_allocations as a')
    .join('reservation_reservations as r', 'r.id', 'a.reservation_id')
    .orderBy(['a.host_id', 'a.start_at', 'a.reservation_id'])
    .select('a.*', 'r.lease_id', 'r.resource_type');
  if (hostId !== undefined) void query.where('a.host_id', hostId);
  if (leaseId !== undefined) void query.where('r.lease_id', leaseId);
  if (reservationId !== undefined) void query.where('a.reservation_id', reservationId);
  if (since !== undefined) void query.where('a.end_at', '>=', since);
  const rows = (await query) as (Row & { lease_id: string; resource_type: string })[];
  return rows.map((row) => ({
    ...record(row),
    leaseId: row.lease_id,
    resourceType: row.resource_type,
  }));
}

/** The hosts that anybody has reserved, for whenever. */
export async function hostsInUse(db: Db, without?: string): Promise<Set<number>> {
  // Asked host by host: there may be many more allocations than hosts.
  const own = db('reservation_allocations as a').whereRaw('a.host_id = h.id').select(db.raw('1'));
  if (without !== undefined) void own.whereNot('a.reservation_id', without);
  const rows = await db('reservation_hosts as h').whereExists(own).orderBy('h.id').select('h.id');
  return new Set((rows as { id: number }[]).map(({ id }) => id));
}

export async function isAllocated(db: Db, hostId: number): Promise<boolean> {
  return (
    (await db('reservation_allocations').where({ host_id: hostId }).first('host_id')) !== undefined
  );
}

/** What a reservation has, in the order of the hosts. */
export async function allocationsOf(db: Db, reservationId: string): Promise<Allocation[]> {
  const rows = await db('reservation_allocations')
    .where({ reservation_id: reservationId })
    .orderBy('host_id');
  return (rows as Row[]).map(record);
}

/** Gives a reservation exactly these slots, by host. */
export async function replaceAllocations(
  db: Db,
  reservationId: string,
  { startAt, endAt }: Span,
  slots: ReadonlyMap<number, number>,
): Promise<void> {
  await deleteAllocations(db, reservationId);
  const rows = [...slots].map(([host, count]) => ({
    host_id: host,
    reservation_id: reservationId,
    slots: count,
    start_at: startAt,
    end_at: endAt,
  }));
  for (let at = 0; at < rows.length; at += 200)
    await db('reservation_allocations').insert(rows.slice(at, at + 200));
}

/**
 * Deletes what is there, row by row: where there is nothing, MySQL would lock the gap, in which
 * others want to write.
 */
export async function deleteAllocations(db: Db, reservationId: string): Promise<void> {
  const mine = await allocationsOf(db, reservationId);
  if (!mine.length) return;
  const hosts = mine.map(({ hostId }) => hostId);
  await db('reservation_allocations')
    .where({ reservation_id: reservationId })
    .whereIn('host_id', hosts)
    .delete();
}
