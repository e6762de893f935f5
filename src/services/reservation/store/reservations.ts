// Reservations: their rows; what only one type of resource has is JSON in them.
import type { Micros } from '../../../kernel/clock.ts';
import type { Db } from '../../../kernel/db/database.ts';
import type { Details, Reservation, ReservationStatus } from '../model.ts';

interface Row {
  id: string;
  lease_id: string;
  position: number;
  resource_id: string;
  resource_type: string;
  status: string;
  missing_resources: number | boolean;
  resources_changed: number | boolean;
  details: string;
  created_at: number;
  updated_at: number | null;
}

const record = (row: Row): Reservation => ({
  id: row.id,
  leaseId: row.lease_id,
  position: row.position,
  resourceId: row.resource_id,
  resourceType: row.resource_type,
  status: row.status as ReservationStatus,
  missingResources: Boolean(row.missing_resources),
  resourcesChanged: Boolean(row.resources_changed),
  details: JSON.parse(row.details) as Details,
  createdAt: Number(row.created_at),
  updatedAt: row.updated_at === null ? null : Number(row.updated_at),
});

/** The reservations of leases, or of all, by lease, in the order in which they were asked for. */
export async function reservationsOf(
  db: Db,
  leases?: readonly string[],
): Promise<Map<string, Reservation[]>> {
  const query = db('reservation_reservations').orderBy(['lease_id', 'position']);
  const rows = (await (leases ? query.whereIn('lease_id', leases) : query)) as Row[];
  const byLease = new Map<string, Reservation[]>();
  for (const row of rows) {
    const before = byLease.get(row.lease_id);
    if (before) before.push(record(row));
    else byLease.set(row.lease_id, [record(row)]);
  }
  return byLease;
}

/** Reservations by id. */
export async function findReservations(
  db: Db,
  ids: readonly string[],
): Promise<Map<string, Reservation>> {
  if (!ids.length) return new Map();
  const rows = (await db('reservation_reservations').whereIn('id', ids).orderBy('id')) as Row[];
  return new Map(rows.map((row) => [row.id, record(row)]));
}

export async function insertReservation(db: Db, reservation: Reservation): Promise<void> {
  await db('reservation_reservations').insert({
    id: reservation.id,
    lease_id: reservation.leaseId,
    position: reservation.position,
    resource_id: reservation.resourceId,
    resource_type: reservation.resourceType,
    status: reservation.status,
    missing_resources: Number(reservation.missingResources),
    resources_changed: Number(reservation.resourcesChanged),
    details: JSON.stringify(reservation.details),
    created_at: reservation.createdAt,
    updated_at: reservation.updatedAt,
  });
}

export type ReservationChanges = Partial<
  Pick<Reservation, 'status' | 'missingResources' | 'resourcesChanged' | 'details'>
>;

/**
 * Writes over a reservation: whoever does has counted its lease up, or will. What is asked for is a
 * row of its own upstream: the reservation's own time stays where only that changes.
 */
export async function updateReservation<D extends Details>(
  db: Db,
  reservation: Reservation<D>,
  changes: ReservationChanges,
  now: Micros,
): Promise<Reservation<D>> {
  const { status, missingResources, resourcesChanged, details } = changes;
  const isOwn =
    status !== undefined || missingResources !== undefined || resourcesChanged !== undefined;
  const updatedAt = isOwn ? now : reservation.updatedAt;
  await db('reservation_reservations')
    .where({ id: reservation.id })
    .update({
      ...(status === undefined ? {} : { status }),
      ...(missingResources === undefined ? {} : { missing_resources: Number(missingResources) }),
      ...(resourcesChanged === undefined ? {} : { resources_changed: Number(resourcesChanged) }),
      ...(details === undefined ? {} : { details: JSON.stringify(details) }),
      updated_at: updatedAt,
    });
  return { ...reservation, ...(changes as Partial<Reservation<D>>), updatedAt };
}
