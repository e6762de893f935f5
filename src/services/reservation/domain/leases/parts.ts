// The reservations and the events of a lease, as replies and notifications show them. Upstream:
// blazar/db/sqlalchemy/models.py to_dict.
import { hostType, type LeaseEvent, type Reservation } from '../../model.ts';
import { dateText, timestampText } from '../dates.ts';

/** A reservation as clients and notifications show it. */
export function reservationView(reservation: Reservation): object {
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

/** An event of a lease as clients and notifications show it. */
export function eventView(event: LeaseEvent): object {
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
