// The view of a lease. Upstream: blazar/db/sqlalchemy/models.py to_dict.
import { dateText, timestampText } from '../domain/dates.ts';
import { hostType, type LeaseEvent, type Reservation, type WholeLease } from '../model.ts';

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

/** The payload of a notification about a lease. Upstream: blazar/notification/api.py. */
export function leasePayload(whole: WholeLease): object {
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

/** Why a lease has failed. Blazar writes it to its log only. */
function reasonView(reservations: readonly Reservation[]): object {
  const errors = reservations.flatMap(({ status, error }) =>
    status === 'error' && error !== null ? [error] : [],
  );
  return errors.length ? { status_reason: [...new Set(errors)].join(' ') } : {};
}

function reservationView(reservation: Reservation): object {
  return {
    id: reservation.id,
    lease_id: reservation.leaseId,
    resource_id: reservation.resourceId,
    resource_type: reservation.resourceType,
    status: reservation.status,
    missing_resources: reservation.missingResources,
    resources_changed: reservation.resourcesChanged,
    created_at: timestampText(reservation.createdAt),
    updated_at: timestampText(reservation.updatedAt),
    ...detailsView(reservation),
  };
}

function detailsView({ id, resourceType, details }: Reservation): object {
  if ('networkId' in details)
    return {
      network_id: details.networkId,
      amount: details.amount,
      required_floatingips: details.required,
    };
  if (resourceType === hostType && 'min' in details)
    return {
      min: details.min,
      max: details.max,
      hypervisor_properties: details.hypervisorProperties,
      resource_properties: details.resourceProperties,
      before_end: details.beforeEnd,
    };
  if (!('demand' in details)) return {};
  return {
    vcpus: details.vcpus,
    memory_mb: details.memoryMb,
    disk_gb: details.diskGb,
    amount: details.amount,
    affinity: details.affinity,
    resource_properties: details.resourceProperties,
    flavor_id: id,
    aggregate_id: details.aggregateId,
    server_group_id: details.serverGroupId,
  };
}

function eventView(event: LeaseEvent): object {
  return {
    id: event.id,
    lease_id: event.leaseId,
    event_type: event.eventType,
    time: event.time === null ? null : dateText(event.time),
    status: event.status,
    created_at: timestampText(event.createdAt),
    updated_at: timestampText(event.updatedAt),
  };
}
