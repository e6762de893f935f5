// The view of a lease. Upstream: blazar/db/sqlalchemy/models.py to_dict.
import { dateText, timestampText } from '../domain/dates.ts';
import { eventView, reservationView } from '../domain/leases/parts.ts';
import type { Reservation, WholeLease } from '../model.ts';

export function leaseView({ lease, reservations, events }: WholeLease): object {
  return {
    id: lease.id,
    name: lease.name,
    user_id: lease.userId,
    project_id: lease.projectId,
    start_date: dateText(lease.startAt),
    end_date: dateText(lease.endAt),
    trust_id: lease.trustId,
    status: lease.status,
    ...(lease.status === 'ERROR' ? reasonView(reservations) : {}),
    degraded: lease.degraded,
    created_at: timestampText(lease.createdAt),
    updated_at: timestampText(lease.updatedAt),
    reservations: reservations.map(reservationView),
    events: events.map(eventView),
  };
}

/** Why a lease has failed. Blazar writes it to its log only. */
function reasonView(reservations: readonly Reservation[]): object {
  const errors = reservations.flatMap(({ status, error }) =>
    status === 'error' && error !== null ? [error] : [],
  );
  return errors.length ? { status_reason: [...new Set(errors)].join(' ') } : {};
}
