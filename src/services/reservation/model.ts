// The records of Reservation: leases with reservations and events, hosts, allocations, floating
// IPs.
import type { Micros } from '../../kernel/clock.ts';

export const leaseStatuses = [
  'PENDING',
  'STARTING',
  'ACTIVE',
  'TERMINATING',
  'TERMINATED',
  'UPDATING',
  'DELETING',
  'ERROR',
] as const;
export type LeaseStatus = (typeof leaseStatuses)[number];

export interface Lease {
  readonly id: string;
  readonly name: string;
  readonly userId: string;
  readonly projectId: string;
  readonly startAt: Micros;
  readonly endAt: Micros;
  readonly trustId: string | null;
  readonly status: LeaseStatus;
  readonly degraded: boolean;
  /** Incremented by every update, for optimistic locking. */
  readonly revision: number;
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
}

export const reservationStatuses = ['pending', 'active', 'deleted', 'error'] as const;
export type ReservationStatus = (typeof reservationStatuses)[number];

export const hostType = 'physical:host';
export const instanceType = 'virtual:instance';
export const flavorType = 'flavor:instance';
export const floatingIpType = 'virtual:floatingip';
export const resourceTypes = [hostType, instanceType, flavorType, floatingIpType] as const;

/** The requested resources of a reservation of whole hosts. */
export interface HostDetails {
  readonly min: number;
  readonly max: number;
  readonly hypervisorProperties: string;
  readonly resourceProperties: string;
  readonly beforeEnd: string;
  readonly aggregateId: number | null;
}

/** Amounts by resource class. */
export type Amounts = Readonly<Record<string, number>>;

/** The requested resources of a reservation of instances, with a size of their own or a flavor. */
export interface InstanceDetails {
  readonly vcpus: number;
  readonly memoryMb: number;
  readonly diskGb: number;
  readonly amount: number;
  readonly affinity: boolean | null;
  /** Requirements on hosts; for a flavor, a copy of the flavor as JSON. */
  readonly resourceProperties: string;
  readonly aggregateId: number | null;
  readonly serverGroupId: string | null;
  /** The resources that one instance uses, by resource class. */
  readonly demand: Amounts;
  /** Required traits of hosts; forbidden ones have the prefix `!`. */
  readonly traits: readonly string[];
}

export interface FloatingIpDetails {
  readonly networkId: string;
  readonly amount: number;
  readonly required: readonly string[];
}

export type Details = HostDetails | InstanceDetails | FloatingIpDetails;

export interface Reservation<D extends Details = Details> {
  readonly id: string;
  readonly leaseId: string;
  readonly position: number;
  readonly resourceId: string;
  readonly resourceType: string;
  readonly status: ReservationStatus;
  readonly missingResources: boolean;
  readonly resourcesChanged: boolean;
  /** Why its start or its end has failed. */
  readonly error: string | null;
  readonly details: D;
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
}

export const startEvent = 'start_lease';
export const endEvent = 'end_lease';
export const beforeEndEvent = 'before_end_lease';

export const eventStatuses = ['UNDONE', 'IN_PROGRESS', 'DONE', 'ERROR'] as const;
export type EventStatus = (typeof eventStatuses)[number];

export interface LeaseEvent {
  readonly id: string;
  readonly leaseId: string;
  readonly position: number;
  /**
   * One of the types above, or any text of a client. Events with other types never happen, and have
   * no time and no status.
   */
  readonly eventType: string;
  readonly time: Micros | null;
  readonly status: EventStatus | null;
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
}

/** A lease with its reservations and events. */
export interface WholeLease {
  readonly lease: Lease;
  readonly reservations: readonly Reservation[];
  readonly events: readonly LeaseEvent[];
}

/** The capacity of a host for a resource class, and the maximum for one instance. */
export interface HostStock {
  readonly capacity: number;
  readonly maxUnit: number;
}

export interface Host {
  readonly id: number;
  readonly hypervisorHostname: string;
  readonly serviceName: string;
  readonly hypervisorType: string;
  readonly hypervisorVersion: number;
  readonly vcpus: number;
  readonly memoryMb: number;
  readonly localGb: number;
  readonly cpuInfo: string;
  readonly availabilityZone: string;
  readonly trustId: string | null;
  readonly reservable: boolean;
  readonly stocks: Readonly<Record<string, HostStock>>;
  /** Incremented by every allocation on the host, so that concurrent ones conflict. */
  readonly revision: number;
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
}

export interface Property {
  readonly id: string;
  readonly resourceType: string;
  readonly name: string;
  readonly isPrivate: boolean;
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
}

/** An extra capability of a host. */
export interface Capability {
  readonly hostId: number;
  readonly name: string;
  readonly value: string;
}

/**
 * The most slots that a reservation uses on one host. The list of allocations has an entry for each
 * slot, so the number must not be as large as a caller likes.
 */
export const maxSlots = 100_000;

/** The slots of a host that a reservation uses: from 1 to `maxSlots`. */
export interface Allocation extends Span {
  readonly hostId: number;
  readonly reservationId: string;
  readonly slots: number;
}

/** A span of time. The end is exclusive. */
export interface Span {
  readonly startAt: Micros;
  readonly endAt: Micros;
}

export interface FloatingIp {
  readonly id: string;
  readonly networkId: string;
  readonly subnetId: string;
  readonly address: string;
  readonly reservable: boolean;
  readonly revision: number;
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
}
