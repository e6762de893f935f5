// The table of leases. Leases are read with their reservations and events.
import { boolean, integer, micros, nullable, text, textOf } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { RevisionTable } from '../../../kernel/db/revision-table.ts';
import { deferred } from '../../../kernel/db/transaction.ts';
import { conflict } from '../../../kernel/errors.ts';
import type { Micros } from '../../../kernel/clock.ts';
import { leaseStatuses, type Lease, type WholeLease } from '../model.ts';
import { eventsByLease } from './events.ts';
import { reservationsByLease } from './reservations.ts';

const leases = new RevisionTable<Lease>(
  'reservation_leases',
  {
    id: text,
    name: text,
    userId: text,
    projectId: text,
    startAt: micros,
    endAt: micros,
    trustId: nullable(text),
    status: textOf(leaseStatuses),
    degraded: boolean,
    revision: integer,
    createdAt: micros,
    updatedAt: nullable(micros),
  },
  { revision: 'revision' },
);

const changed = () => conflict('The lease was changed by another request.');

/** From this number of leases on, all reservations and events are read, instead of by lease id. */
const readAllFrom = 500;

/** Lists the leases of a project, or of all, oldest first. */
export async function listLeases(db: Db, projectId?: string): Promise<WholeLease[]> {
  const found = await leases.list(db, { where: { projectId }, sort: ['createdAt'] });
  return withParts(db, found);
}

async function withParts(db: Db, found: readonly Lease[]): Promise<WholeLease[]> {
  const ids = found.length < readAllFrom ? found.map(({ id }) => id) : undefined;
  const [reservations, events] = [await reservationsByLease(db, ids), await eventsByLease(db, ids)];
  return found.map((lease) => ({
    lease,
    reservations: reservations.get(lease.id) ?? [],
    events: events.get(lease.id) ?? [],
  }));
}

export async function findLease(db: Db, id: string): Promise<WholeLease | undefined> {
  const lease = await leases.find(db, { id });
  return lease && (await withParts(db, [lease]))[0];
}

/** Whether the region has a lease. */
export const hasLeases = (db: Db): Promise<boolean> => leases.exists(db, {});

/** Reads leases without their parts, by id. */
export async function leasesById(
  db: Db,
  ids: Iterable<string>,
): Promise<ReadonlyMap<string, Lease>> {
  const found = await leases.among(db, 'id', ids);
  return new Map(found.map((lease) => [lease.id, lease]));
}

export const insertLease = (db: Db, lease: Lease): Promise<void> =>
  deferred(leases.insert(db, lease));

export type LeaseChanges = Partial<
  Pick<Lease, 'name' | 'startAt' | 'endAt' | 'status' | 'degraded'>
>;

/** @throws SerializationFailure if another transaction has changed the lease */
export const updateLease = (
  db: Db,
  lease: Lease,
  changes: LeaseChanges,
  now: Micros | null,
): Promise<Lease> => leases.updateAtRevision(db, lease, { ...changes, updatedAt: now }, changed);

/**
 * Deletes a lease with its reservations, events and allocations.
 * @throws SerializationFailure if another transaction has changed the lease
 */
export async function deleteLease(db: Db, lease: Lease): Promise<void> {
  const ids = db('reservation_reservations').where({ lease_id: lease.id }).select('id');
  await db('reservation_allocations').whereIn('reservation_id', ids.clone()).delete();
  await db('reservation_floatingip_allocations').whereIn('reservation_id', ids.clone()).delete();
  await db('reservation_reservations').where({ lease_id: lease.id }).delete();
  await db('reservation_events').where({ lease_id: lease.id }).delete();
  await leases.removeAtRevision(db, lease, changed);
}
