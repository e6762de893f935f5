// Reservations of quota. A gateway checks a project's quota against the usage in all pods, and
// creates the resource in one of them later: in between, a reservation represents it, so
// that concurrent requests, also of other processes, do not exceed the quota together.
import { machineNow, SECOND } from '../../../kernel/clock.ts';
import type { Context } from '../../../kernel/model.ts';
import type { QuotaReservation } from '../model.ts';
import * as store from '../store/quota-reservations.ts';

/**
 * How long a reservation is valid, in the machine's time. A process that dies leaves its
 * reservations; after this time, they no longer count.
 */
const validity = 120 * SECOND;

/**
 * Reserves amounts of a project's quota. Runs under the lock of the central database, so the ids of
 * reservations follow the order in which other transactions see them.
 */
export async function reserve(
  { db }: Context,
  fields: Omit<QuotaReservation, 'id' | 'reservedAt'>,
): Promise<QuotaReservation> {
  const now = machineNow();
  await store.deleteReservationsBefore(db, fields.projectId, now - validity);
  return store.insertReservation(db, { ...fields, reservedAt: now });
}

/** The valid reservations of the same project and service that were made before this one. */
export async function earlierReservations(
  { db }: Context,
  reservation: QuotaReservation,
): Promise<QuotaReservation[]> {
  const oldest = machineNow() - validity;
  const earlier = await store.listEarlier(db, reservation);
  return earlier.filter(({ reservedAt }) => reservedAt >= oldest);
}
