// Leases: their rows, with those of their reservations and events.
import type { Db } from '../../../kernel/db/database.ts';
import { deleteAtRevision, updateAtRevision } from '../../../kernel/db/optimistic-lock.ts';
import { conflict } from '../../../kernel/errors.ts';
import type { Micros } from '../../../kernel/clock.ts';
import type { Lease, LeaseStatus, WholeLease } from '../model.ts';
import { eventsOf } from './events.ts';
import { reservationsOf } from './reservations.ts';

interface Row {
  id: string;
  name: string;
  user_id: string;
  project_id: string;
  start_at: number;
  end_at: number;
  trust_id: string | null;
  status: string;
  degraded: number | boolean;
  revision: number;
  created_at: number;
  updated_at: number | null;
}

const record = (row: Row): Lease => ({
  id: row.id,
  name: row.name,
  userId: row.user_id,
  projectId: row.project_id,
  startAt: Number(row.start_at),
  endAt: Number(row.end_at),
  trustId: row.trust_id,
  status: row.status as LeaseStatus,
  degraded: Boolean(row.degraded),
  revision: row.revision,
  createdAt: Number(row.created_at),
  updatedAt: row.updated_at === null ? null : Number(row.updated_at),
});

const columns = {
  name: 'name',
  startAt: 'start_at',
  endAt: 'end_at',
  status: 'status',
  degraded: 'degraded',
} as const;

const busy = () => conflict('The lease was changed by another request.');
const table = { name: 'reservation_leases' };

/**
 * The leases of a project, or all, with all that belongs to them, in the order in which they were
 * made.
 */
export async function listLeases(db: Db, projectId?: string): Promise<WholeLease[]> {
  const query = db('reservation_leases').orderBy('created_at').orderBy('id');
  const rows = (await (projectId === undefined
    ? query
    : query.where({ project_id: projectId }))) as Row[];
  return whole(db, rows, rows.length < 500);
}

/** Of few leases the parts are read by the leases' ids; of many, all parts are. */
async function whole(db: Db, rows: readonly Row[], byId: boolean): Promise<WholeLease[]> {
  const ids = byId ? rows.map(({ id }) => id) : undefined;
  const [reservations, events] = [await reservationsOf(db, ids), await eventsOf(db, ids)];
  return rows.map((row) => ({
    lease: record(row),
    reservations: reservations.get(row.id) ?? [],
    events: events.get(row.id) ?? [],
  }));
}

export async function findLease(db: Db, id: string): Promise<WholeLease | undefined> {
  const row = (await db('reservation_leases').where({ id }).first()) as Row | undefined;
  return row && (await whole(db, [row], true))[0];
}

export async function insertLease(db: Db, lease: Lease): Promise<void> {
  await db('reservation_leases').insert({
    id: lease.id,
    name: lease.name,
    user_id: lease.userId,
    project_id: lease.projectId,
    start_at: lease.startAt,
    end_at: lease.endAt,
    trust_id: lease.trustId,
    status: lease.status,
    degraded: Number(lease.degraded),
    revision: lease.revision,
    created_at: lease.createdAt,
    updated_at: lease.updatedAt,
  });
}

export type LeaseChanges = Partial<Pick<Lease, keyof typeof columns>>;

/** @throws Contention where another writer was faster */
export async function updateLease(
  db: Db,
  lease: Lease,
  changes: LeaseChanges,
  now: Micros | null,
): Promise<Lease> {
  const written = Object.entries(changes).map(([key, value]) => [
    columns[key as keyof typeof columns],
    typeof value === 'boolean' ? Number(value) : value,
  ]);
  const row = { ...Object.fromEntries(written), updated_at: now };
  const revision = await updateAtRevision(db, table, [lease.id, lease.revision], row, busy);
  return { ...lease, ...changes, revision, updatedAt: now };
}

/**
 * Deletes a lease with its reservations, events and allocations.
 * @throws Contention where another writer was faster
 */
export async function deleteLease(db: Db, lease: Lease): Promise<void> {
  const ids = db('reservation_reservations').where({ lease_id: lease.id }).select('id');
  await db('reservation_allocations').whereIn('reservation_id', ids.clone()).delete();
  await db('reservation_floatingip_allocations').whereIn('reservation_id', ids.clone()).delete();
  await db('reservation_reservations').where({ lease_id: lease.id }).delete();
  await db('reservation_events').where({ lease_id: lease.id }).delete();
  await deleteAtRevision(db, table, [lease.id, lease.revision], busy);
}
