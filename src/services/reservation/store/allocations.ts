// The table of allocations: the slots of hosts that reservations occupy, with their dates.
import type { Micros } from '../../../kernel/clock.ts';
import {
  integer,
  integerBetween,
  jsonObject,
  micros,
  named,
  text,
} from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import type { Condition } from '../../../kernel/db/listing.ts';
import { insertRows, Recurring } from '../../../kernel/db/drivers/recurring.ts';
import { batchesOf } from '../../../kernel/db/owned-rows.ts';
import { Table } from '../../../kernel/db/table.ts';
import { deferred } from '../../../kernel/db/transaction.ts';
import { maxSlots, type Allocation, type Details, type Reservation, type Span } from '../model.ts';

const recurring = new Recurring();

const columns = {
  hostId: integer,
  reservationId: text,
  slots: integerBetween(1, maxSlots),
  startAt: micros,
  endAt: micros,
};
const key = ['reservationId', 'hostId'] as const;

const allocations = new Table<Allocation>('reservation_allocations', columns, { key });

/** An allocation with what its reservation is. */
export interface LeasedAllocation
  extends Allocation, Pick<Reservation, 'leaseId' | 'resourceType' | 'details'> {}

const leasedAllocations = new Table<LeasedAllocation>(
  allocations.name,
  {
    ...columns,
    leaseId: named('reservation_reservations.lease_id', text),
    resourceType: named('reservation_reservations.resource_type', text),
    details: named('reservation_reservations.details', jsonObject<Details>()),
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
  exceptReservation = '',
): Promise<LeasedAllocation[]> {
  return leasedAllocations.read(
    recurring.statement(db, 'during', [startAt, endAt, exceptReservation], ([start, end, except]) =>
      leasedAllocations
        .query(db)
        .where('end_at', '>', start!)
        .where('start_at', '<', end!)
        .whereNot('reservation_id', except!)
        .orderBy(sort.map((field) => leasedAllocations.column(field))),
    ),
  );
}

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
  for (const batch of batchesOf(inserted))
    await deferred(
      insertRows(
        db,
        allocations.name,
        batch.map((one) => allocations.row(one)),
      ),
    );
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
