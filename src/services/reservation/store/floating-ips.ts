// The tables of reservable floating IPs and their allocations to reservations.
import { boolean, integer, micros, named, nullable, text } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { requireAffectedRow } from '../../../kernel/db/optimistic-lock.ts';
import { RevisionTable } from '../../../kernel/db/revision-table.ts';
import { Table } from '../../../kernel/db/table.ts';
import { badRequest } from '../../../kernel/errors.ts';
import type { FloatingIp, Span } from '../model.ts';

const floatingIps = new RevisionTable<FloatingIp>(
  'reservation_floatingips',
  {
    id: text,
    networkId: text,
    subnetId: text,
    address: text,
    reservable: boolean,
    revision: integer,
    createdAt: micros,
    updatedAt: nullable(micros),
  },
  { revision: 'revision' },
);

const sort = ['createdAt', 'address'] as const;

/** Lists the floating IPs of a network, or all of them, oldest first. */
export const listFloatingIps = (db: Db, networkId?: string): Promise<FloatingIp[]> =>
  floatingIps.list(db, { where: { networkId }, sort });

export const findFloatingIp = (db: Db, id: string): Promise<FloatingIp | undefined> =>
  floatingIps.find(db, { id });

/** @throws the driver's duplicate error if the address is already registered */
export async function insertFloatingIp(db: Db, ip: FloatingIp): Promise<void> {
  await floatingIps.insert(db, ip);
}

/**
 * @throws the driver's foreign key error if the floating IP is reserved, SerializationFailure if
 *   another transaction has deleted it
 */
export async function deleteFloatingIp(db: Db, id: string): Promise<void> {
  await requireAffectedRow(floatingIps.remove(db, { id }), 'floating IP');
}

/**
 * Bumps the revisions of floating IPs that are about to be allocated.
 * @throws SerializationFailure if another transaction has allocated one since it was read
 */
export async function bumpFloatingIpRevisions(db: Db, ips: readonly FloatingIp[]): Promise<void> {
  for (const ip of ips)
    await floatingIps.bumpRevision(db, ip, () => badRequest('Not enough floating IPs available'));
}

/** The allocation of a floating IP to a reservation, with its dates. */
export interface FloatingIpAllocation extends Span {
  readonly floatingIpId: string;
  readonly reservationId: string;
}

const allocations = new Table<FloatingIpAllocation>(
  'reservation_floatingip_allocations',
  {
    floatingIpId: named('floatingip_id', text),
    reservationId: text,
    startAt: micros,
    endAt: micros,
  },
  { key: ['reservationId', 'floatingIpId'] },
);

/**
 * Lists the past, current and future allocations of floating IPs, except those of one reservation.
 */
export async function floatingIpAllocations(
  db: Db,
  floatingIpId: readonly string[],
  exceptReservation?: string,
): Promise<FloatingIpAllocation[]> {
  if (!floatingIpId.length) return [];
  return allocations.list(db, {
    where: { floatingIpId },
    conditions:
      exceptReservation === undefined
        ? []
        : [(query) => void query.whereNot({ reservation_id: exceptReservation })],
    sort: ['floatingIpId', 'startAt', 'reservationId'],
  });
}

/** Lists the floating IPs of a reservation. */
export const floatingIpsOf = (db: Db, reservationId: string): Promise<FloatingIp[]> =>
  floatingIps.list(db, {
    conditions: [
      (query) =>
        void query.whereIn(
          'id',
          db('reservation_floatingip_allocations')
            .where({ reservation_id: reservationId })
            .select('floatingip_id'),
        ),
    ],
    sort,
  });

/** Replaces the floating IPs of a reservation. */
export async function replaceFloatingIpAllocations(
  db: Db,
  reservationId: string,
  { startAt, endAt }: Span,
  ids: readonly string[],
): Promise<void> {
  // Deleted by their whole key: a delete that matches no row would make MySQL lock a gap of the
  // index, into which other transactions want to insert.
  const previous = await allocations.list(db, { where: { reservationId } });
  const floatingIpId = previous.map((allocation) => allocation.floatingIpId);
  if (floatingIpId.length) await allocations.remove(db, { reservationId, floatingIpId });
  await allocations.insertAll(
    db,
    ids.map((id) => ({ floatingIpId: id, reservationId, startAt, endAt })),
  );
}
