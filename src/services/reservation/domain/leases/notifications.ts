// The notifications of Blazar about leases. Upstream: blazar/notification/api.py.
import type { Context } from '../../../../kernel/model.ts';
import { notify } from '../../../../kernel/notifications.ts';
import type { WholeLease } from '../../model.ts';
import { dateText, timestampText } from '../dates.ts';
import { eventView, reservationView } from './parts.ts';

const source = { service: 'reservation', exchange: 'openstack', topic: 'notifications' };

/** Reports a change of a lease, or that an event of it has run. */
export const notifyLease = (
  context: Context,
  event: 'create' | 'update' | 'delete' | `event.${string}`,
  leaseOf: () => WholeLease | Promise<WholeLease>,
): Promise<void> =>
  notify(context, source, { publisherId: 'blazar.lease', eventType: `lease.${event}` }, async () =>
    leasePayload(await leaseOf()),
  );

/** The payload of a notification about a lease. */
function leasePayload(whole: WholeLease): object {
  const { lease, reservations, events } = whole;
  return {
    lease_id: lease.id,
    user_id: lease.userId,
    project_id: lease.projectId,
    trust_id: lease.trustId,
    start_date: dateText(lease.startAt),
    end_date: dateText(lease.endAt),
    status: lease.status,
    reservations: reservations.map(reservationView),
    events: events.map(eventView),
    name: lease.name,
    created_at: timestampText(lease.createdAt),
    updated_at: timestampText(lease.updatedAt),
    degraded: lease.degraded,
  };
}
