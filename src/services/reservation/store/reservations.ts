// The table of reservations. The details that depend on the type of resource are one JSON column.
import type { Micros } from '../../../kernel/clock.ts';
import {
  boolean,
  integer,
  jsonObject,
  micros,
  nullable,
  text,
  textOf,
} from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { Table } from '../../../kernel/db/table.ts';
import { deferred } from '../../../kernel/db/transaction.ts';
import { reservationStatuses, type Details, type Reservation } from '../model.ts';
import { grouped } from '../../../kernel/db/grouping.ts';

export const reservations = new Table<Reservation>('reservation_reservations', {
  id: text,
  leaseId: text,
  position: integer,
  resourceId: text,
  resourceType: text,
  status: textOf(reservationStatuses),
  missingResources: boolean,
  resourcesChanged: boolean,
  error: nullable(text),
  details: jsonObject(),
  createdAt: micros,
  updatedAt: nullable(micros),
});

/** Reads the reservations of some leases, or of all, by lease, in the order of the request. */
export async function reservationsByLease(
  db: Db,
  leaseIds?: readonly string[],
): Promise<ReadonlyMap<string, Reservation[]>> {
  const found = await reservations.list(db, {
    where: { leaseId: leaseIds },
    sort: ['leaseId', 'position'],
  });
  return grouped(found, ({ leaseId }) => leaseId);
}

/** Reads reservations by id. */
export async function findReservations(
  db: Db,
  ids: Iterable<string>,
): Promise<ReadonlyMap<string, Reservation>> {
  const found = await reservations.among(db, 'id', ids);
  return new Map(found.map((reservation) => [reservation.id, reservation]));
}

export const insertReservation = (db: Db, reservation: Reservation): Promise<void> =>
  deferred(reservations.insert(db, reservation));

export type ReservationChanges<D extends Details> = Partial<
  Pick<Reservation<D>, 'status' | 'error' | 'missingResources' | 'resourcesChanged' | 'details'>
>;

/**
 * Updates a reservation. The caller also bumps the revision of the lease in this transaction.
 * Upstream keeps the details in a table of their own, so a change of the details alone leaves the
 * reservation's `updated_at` unchanged.
 */
export async function updateReservation<D extends Details>(
  db: Db,
  reservation: Reservation<D>,
  changes: ReservationChanges<D>,
  now: Micros,
): Promise<Reservation<D>> {
  const isOwnChange = Object.keys(changes).some((field) => field !== 'details');
  const updatedAt = isOwnChange ? now : reservation.updatedAt;
  await deferred(reservations.update(db, { id: reservation.id }, { ...changes, updatedAt }));
  return { ...reservation, ...changes, updatedAt };
}

/** Reads the ids of the leases of reservations, by the ids of these. */
export async function leasesOfReservations(
  db: Db,
  ids: Iterable<string>,
): Promise<ReadonlyMap<string, string>> {
  const found = await findReservations(db, ids);
  return new Map([...found.values()].map(({ id, leaseId }) => [id, leaseId]));
}
