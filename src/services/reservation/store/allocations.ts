// The table of allocations: the slots of hosts that reservations occupy, with their dates.
import type { Micros } from '../../../kernel/clock.ts';
import { integer, integerBetween, micros, named, text } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import type { Condition } from '../../../kernel/db/listing.ts';
import { Table } from '../../../kernel/db/table.ts';
import { maxSlots, type Allocation, type Span } from '../model.ts';

const columns = {
  hostId: integer,
  reservationId: text,
  slots: integerBetween(1, maxSlots),
  startAt: micros,
  endAt: micros,
};
const key = ['reservationId', 'hostId'] as const;

const allocations = new Table<Allocation>('reservation_allocations', columns, { key });

/** An allocation with the lease and the resource type of its reservation. */
export interface LeasedAllocation extends Allocation {
  readonly leaseId: string;
  readonly resourceType: string;
}

const leasedAllocations = new Table<LeasedAllocation>(
  allocations.name,
  {
    ...columns,
    leaseId: named('reservation_reservations.lease_id', text),
    resourceType: named('reservation_reservations.resource_type', text),
  },
  {
    key,
    join: (query) =>
      void query.join(
        'reservation_reservations',
        'reservation_reservations.id',
        'reservation_allocations.reservation_id',
      ),
  },
);

const sort = ['hostId', 'startAt', 'reservationId'] as const;

/** Lists the allocations that overlap a span of time, except those of one reservation. */
export function allocationsDuring(
  db: Db,
  { startAt, endAt }: Span,
  exceptReservation?: string,
): Promise<Allocation[]> {
  const overlap: Condition = (query) =>
    void query.where('end_at', '>', startAt).where('start_at', '<', endAt);
  const conditions = [overlap, ...exceptOf(exceptReservation)];
  return allocations.list(db, { conditions, sort });
}

const exceptOf = (reservationId: string | undefined): Condition[] =>
  reservationId === undefined
    ? []
    : [(query) => void query.whereNot({ reservation_id: reservationId })];

/** Selects allocations. An undefined field does not filter. */
export interface AllocationFilter {
  readonly hostId?: number;
  readonly leaseId?: string;
  readonly reservationId?: string;
  /** Leaves out allocations that end before this time. */
  readonly since?: Micros;
}

export function listAllocations(
  db: Db,
  { since, ...where }: AllocationFilter,
): Promise<LeasedAllocation[]> {
  const conditions: Condition[] =
    since === undefined
      ? []
      : [(query) => void query.where(leasedAllocations.column('endAt'), '>=', since)];
  return leasedAllocations.list(db, { where, conditions, sort });
}

/** Reads the ids of hosts that have an allocation at any time, except those of one reservation. */
export async function allocatedHostIds(db: Db, exceptReservation?: string): Promise<Set<number>> {
  // A subquery for each host, because there may be many more allocations than hosts.
  const own = db('reservation_allocations as a').whereRaw('a.host_id = h.id').select(db.raw('1'));
  if (exceptReservation !== undefined) void own.whereNot('a.reservation_id', exceptReservation);
  const rows = await db('reservation_hosts as h').whereExists(own).orderBy('h.id').select('h.id');
  return new Set((rows as { id: number }[]).map(({ id }) => id));
}

export const hasAllocations = (db: Db, hostId: number): Promise<boolean> =>
  allocations.exists(db, { hostId });

/** Lists the allocations of a reservation, by host. */
export const allocationsOf = (db: Db, reservationId: string): Promise<Allocation[]> =>
  allocations.list(db, { where: { reservationId }, sort: ['hostId'] });

/** Reads the slots of a reservation, by host id. */
export const slotsOf = async (db: Db, reservationId: string): Promise<Map<number, number>> =>
  new Map((await allocationsOf(db, reservationId)).map(({ hostId, slots }) => [hostId, slots]));

/** Inserts the allocations of a reservation that has none: these slots, given by host id. */
export async function insertAllocations(
  db: Db,
  reservationId: string,
  { startAt, endAt }: Span,
  slots: ReadonlyMap<number, number>,
): Promise<void> {
  const inserted = [...slots].map(([hostId, count]) => ({
    hostId,
    reservationId,
    slots: count,
    startAt,
    endAt,
  }));
  await allocations.insertAll(db, inserted);
}

/** Replaces the allocations of a reservation by these slots, given by host id. */
export async function replaceAllocations(
  db: Db,
  reservationId: string,
  span: Span,
  slots: ReadonlyMap<number, number>,
): Promise<void> {
  await deleteAllocations(db, reservationId);
  await insertAllocations(db, reservationId, span, slots);
}

/**
 * Deletes the existing allocations of a reservation by their whole key. A delete that matches no
 * row would make MySQL lock a gap of the index, into which other transactions want to insert.
 */
export async function deleteAllocations(db: Db, reservationId: string): Promise<void> {
  const hostId = (await allocationsOf(db, reservationId)).map((allocation) => allocation.hostId);
  if (hostId.length) await allocations.remove(db, { reservationId, hostId });
}
