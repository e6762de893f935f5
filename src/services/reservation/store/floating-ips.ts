// Floating IPs that can be reserved, and who has reserved them.
import type { Db } from '../../../kernel/db/database.ts';
import { requireAffectedRow, updateAtRevision } from '../../../kernel/db/optimistic-lock.ts';
import { badRequest } from '../../../kernel/errors.ts';
import type { FloatingIp, Span } from '../model.ts';

interface Row {
  id: string;
  network_id: string;
  subnet_id: string;
  address: string;
  reservable: number | boolean;
  revision: number;
  created_at: number;
  updated_at: number | null;
}

const record = (row: Row): FloatingIp => ({
  id: row.id,
  networkId: row.network_id,
  subnetId: row.subnet_id,
  address: row.address,
  reservable: Boolean(row.reservable),
  revision: row.revision,
  createdAt: Number(row.created_at),
  updatedAt: row.updated_at === null ? null : Number(row.updated_at),
});

/** All, or those of a network, in the order in which they came. */
export async function listFloatingIps(db: Db, networkId?: string): Promise<FloatingIp[]> {
  const query = db('reservation_floatingips').orderBy(['created_at', 'address', 'id']);
  return (
    (await (networkId === undefined ? query : query.where({ network_id: networkId }))) as Row[]
  ).map(record);
}

export async function findFloatingIp(db: Db, id: string): Promise<FloatingIp | undefined> {
  const row = (await db('reservation_floatingips').where({ id }).first()) as Row | undefined;
  return row && record(row);
}

/** @throws the driver's duplicate error where the address is registered */
export async function insertFloatingIp(db: Db, ip: FloatingIp): Promise<void> {
  await db('reservation_floatingips').insert({
    id: ip.id,
    network_id: ip.networkId,
    subnet_id: ip.subnetId,
    address: ip.address,
    reservable: Number(ip.reservable),
    revision: ip.revision,
    created_at: ip.createdAt,
    updated_at: ip.updatedAt,
  });
}

/**
 * @throws the driver's foreign key error where it is reserved, Contention where another request has
 *   deleted it
 */
export async function deleteFloatingIp(db: Db, id: string): Promise<void> {
  await requireAffectedRow(db('reservation_floatingips').where({ id }).delete(), 'floating IP');
}

/**
 * Notes that floating IPs are promised.
 * @throws Contention where something else was promised meanwhile
 */
export async function countFloatingIpPromises(db: Db, ips: readonly FloatingIp[]): Promise<void> {
  for (const { id, revision } of ips)
    await updateAtRevision(db, { name: 'reservation_floatingips' }, [id, revision], {}, () =>
      badRequest('Not enough floating IPs available'),
    );
}

/** Who has a floating IP, and when. */
export interface FloatingIpAllocation extends Span {
  readonly floatingIpId: string;
  readonly reservationId: string;
}

interface AllocationRow {
  floatingip_id: string;
  reservation_id: string;
  start_at: number;
  end_at: number;
}

const allocationRecord = (row: AllocationRow): FloatingIpAllocation => ({
  floatingIpId: row.floatingip_id,
  reservationId: row.reservation_id,
  startAt: Number(row.start_at),
  endAt: Number(row.end_at),
});

/** What is or was promised of floating IPs, leaving out what a reservation has. */
export async function floatingIpAllocations(
  db: Db,
  ids: readonly string[],
  without?: string,
): Promise<FloatingIpAllocation[]> {
  if (!ids.length) return [];
  const query = db('reservation_floatingip_allocations')
    .whereIn('floatingip_id', ids)
    .orderBy(['floatingip_id', 'start_at', 'reservation_id']);
  if (without !== undefined) void query.whereNot({ reservation_id: without });
  return ((await query) as AllocationRow[]).map(allocationRecord);
}

/** The floating IPs that a reservation has. */
export async function floatingIpsOf(db: Db, reservationId: string): Promise<FloatingIp[]> {
  const rows = await db('reservation_floatingips as f')
    .join('reservation_floatingip_allocations as a', 'a.floatingip_id', 'f.id')
    .where('a.reservation_id', reservationId)
    .orderBy(['f.created_at', 'f.address', 'f.id'])
    .select('f.*');
  return (rows as Row[]).map(record);
}

/** Gives a reservation exactly these floating IPs. */
export async function replaceFloatingIpAllocations(
  db: Db,
  reservationId: string,
  { startAt, endAt }: Span,
  ids: readonly string[],
): Promise<void> {
  const before = await db('reservation_floatingip_allocations')
    .where({ reservation_id: reservationId })
    .select('floatingip_id');
  // Where there is nothing, MySQL would lock the gap, in which others want to write.
  const held = (before as { floatingip_id: string }[]).map((one) => one.floatingip_id);
  if (held.length)
    await db('reservation_floatingip_allocations')
      .where({ reservation_id: reservationId })
      .whereIn('floatingip_id', held)
      .delete();
  const rows = ids.map((id) => ({
    floatingip_id: id,
    reservation_id: reservationId,
    start_at: startAt,
    end_at: endAt,
  }));
  if (rows.length) await db('reservation_floatingip_allocations').insert(rows);
}
