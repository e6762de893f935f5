// The views of hosts, properties and allocations.
import { dateText, timestampText } from '../domain/dates.ts';
import type { HostWithCapabilities } from '../domain/hosts/hosts.ts';
import type { Capability, Host, Property } from '../model.ts';
import type { LeasedAllocation } from '../store/allocations.ts';

/** The extra capabilities are fields of the host, beside its columns. */
export function hostView({ host, capabilities }: HostWithCapabilities): object {
  return {
    id: String(host.id),
    hypervisor_hostname: host.hypervisorHostname,
    service_name: host.serviceName,
    hypervisor_type: host.hypervisorType,
    hypervisor_version: host.hypervisorVersion,
    vcpus: host.vcpus,
    memory_mb: host.memoryMb,
    local_gb: host.localGb,
    cpu_info: host.cpuInfo,
    availability_zone: host.availabilityZone,
    status: null,
    trust_id: host.trustId,
    reservable: host.reservable,
    created_at: timestampText(host.createdAt),
    updated_at: timestampText(host.updatedAt),
    ...capabilities,
  };
}

/** Has one entry for each slot, because upstream stores a row for each. */
export function allocationView(
  { id }: Pick<Host, 'id'>,
  allocations: readonly LeasedAllocation[],
): object {
  const reservations = allocations.flatMap(({ reservationId, leaseId, startAt, endAt, slots }) =>
    Array.from({ length: slots }, () => ({
      id: reservationId,
      lease_id: leaseId,
      start_date: dateText(startAt),
      end_date: dateText(endAt),
    })),
  );
  return { resource_id: String(id), reservations };
}

/**
 * Lists the properties that any host has; with `detail`, also their values. Upstream always shows
 * `private: false` here.
 */
export function propertiesView(
  properties: readonly Property[],
  values: readonly Capability[],
  detail: boolean,
): object[] {
  return properties.flatMap(({ name }) => {
    const own = [
      ...new Set(values.filter((capability) => capability.name === name).map(({ value }) => value)),
    ];
    if (!own.length) return [];
    return [detail ? { property: name, private: false, values: own } : { property: name }];
  });
}

/** Has the date format of leases, because upstream returns the record before it is read again. */
export const propertyView = ({
  id,
  resourceType,
  name,
  isPrivate,
  createdAt,
  updatedAt,
}: Property): object => ({
  id,
  resource_type: resourceType,
  property_name: name,
  private: isPrivate,
  created_at: dateText(createdAt),
  updated_at: updatedAt === null ? null : dateText(updatedAt),
});
