// The named lock of Reservation.

/**
 * Database lock held by every request that writes, across processes. Concurrent requests rank hosts
 * alike, so they would choose the same ones: without the lock most of them would conflict and
 * retry. Jobs do not take it, but rely on optimistic locking.
 */
export const reservationLock = 'reservation';
