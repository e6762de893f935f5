// What Reservation keeps: leases with reservations and events, hosts, allocations, floating IPs.
import type { Micros } from '../../kernel/clock.ts';

export type LeaseStatus =
  | 'PENDING'
  | 'STARTING'
  | 'ACTIVE'
  | 'TERMINATING'
  | 'TERMINATED'
  | 'UPDATING'
  | 'DELETING'
  | 'ERROR';

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
  /** How often it was written. */
  readonly revision: number;
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
}

export type ReservationStatus = 'pending' | 'active' | 'deleted' | 'error';

export const hostType = 'physical:host';
export const instanceType = 'virtual:instance';
export const flavorType = 'flavor:instance';
export const floatingIpType = 'virtual:floatingip';

/** What a reservation of whole hosts asks for. */
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

/** What a reservation of instances asks for: of a size of its own, or of that of a flavor. */
export interface InstanceDetails {
  readonly vcpus: number;
  readonly memoryMb: number;
  readonly diskGb: number;
  readonly amount: number;
  readonly affinity: boolean | null;
  /** Of a flavor: what the flavor was when it was reserved, as JSON. */
  readonly resourceProperties: string;
  readonly aggregateId: number | null;
  readonly serverGroupId: string | null;
  /** What one instance takes of a host, by resource class. */
  readonly demand: Amounts;
  /** Traits that a host must have, or with `!` must not have. */
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
  readonly details: D;
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
}

export const startEvent = 'start_lease';
export const endEvent = 'end_lease';
export const beforeEndEvent = 'before_end_lease';

export type EventStatus = 'UNDONE' | 'IN_PROGRESS' | 'DONE' | 'ERROR';

export interface LeaseEvent {
  readonly id: string;
  readonly leaseId: string;
  readonly position: number;
  /**
   * One of ours, or whatever a client has put down; those never happen, and have neither time nor
   * status.
   */
  readonly eventType: string;
  readonly time: Micros | null;
  readonly status: EventStatus | null;
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
}

/** A lease with all that belongs to it. */
export interface WholeLease {
  readonly lease: Lease;
  readonly reservations: readonly Reservation[];
  readonly events: readonly LeaseEvent[];
}

/** How much of a resource class a host can give, and how much to one instance. */
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
  /** How often something was promised on it. */
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

/** So many slots of a host for so long: the end no longer belongs to it. */
export interface Allocation {
  readonly hostId: number;
  readonly reservationId: string;
  readonly slots: number;
  readonly startAt: Micros;
  readonly endAt: Micros;
}

/** From its start up to its end, which no longer belongs to it. */
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
