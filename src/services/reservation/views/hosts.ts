// Hosts, their properties and their allocations as a client sees them.
import { dateText, writtenText } from '../domain/dates.ts';
import type { WholeHost } from '../domain/hosts/hosts.ts';
import type { Capability, Host, Property } from '../model.ts';
import type { LeasedAllocation } from '../store/allocations.ts';

/** Extra capabilities stand beside what a host is. */
export function hostView({ host, capabilities }: WholeHost): object {
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
    created_at: writtenText(host.createdAt),
    updated_at: writtenText(host.updatedAt),
    ...capabilities,
  };
}

/** One entry for each slot, as upstream has a row for each. */
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
 * Properties that a host has; with details, their values. Whether one is private upstream never
 * says here.
 */
export function propertiesView(
  properties: readonly Property[],
  values: readonly Capability[],
  detail: boolean,
): object[] {
  return properties.flatMap(({ name }) => {
    const own = [...new Set(values.filter((one) => one.name === name).map(({ value }) => value))];
    if (!own.length) return [];
    return [detail ? { property: name, private: false, values: own } : { property: name }];
  });
}

/**
 * Its times are written as dates are: upstream shows it as the change left it, and not as it is
 * read.
 */
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
