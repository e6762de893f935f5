// A question about resources: whether a reservation is possible, under various assumptions.
import type { Micros } from '../../../../kernel/clock.ts';
import type { Span } from '../../model.ts';
import type { HostCause } from '../candidates/causes.ts';

/** A lease in the way. */
export interface Holder extends Span {
  readonly leaseId: string;
  readonly slots: number;
}

/** Why a resource is unsuitable. */
export type Cause =
  | HostCause
  /** Leases in the way of a floating IP. */
  | { readonly cause: 'reserved'; readonly holders: readonly Holder[] }
  /** A required address is not among the floating IPs of the network. */
  | { readonly cause: 'unknown_address' };

/** What may change, so that more resources are suitable. */
export type Change =
  | { readonly change: 'end_lease'; readonly leaseId: string; readonly endAt: Micros }
  | { readonly change: 'make_reservable'; readonly id: string; readonly name: string };

/** A host or a floating IP. */
export interface Resource {
  readonly id: string;
  /** The name of the host, or the address. */
  readonly name: string;
  /** The number of free slots: 0 or 1 for a whole host or a floating IP. */
  readonly slots: number;
  /** All causes that make it unsuitable, in the order in which the search checks them. */
  readonly causes: readonly Cause[];
  /** The changes after which it has more free slots. */
  readonly changes: readonly Change[];
}

/** Assumptions that differ from what was read. */
export interface Assumed {
  readonly span?: Span;
  readonly amount?: number;
  readonly changes?: readonly Change[];
}

/** What a reservation asks for, with everything that was read to decide. */
export interface Question {
  readonly resourceType: string;
  /** The lease that the reservation belongs to; undefined for a question about none. */
  readonly ownLease: string | undefined;
  readonly span: Span;
  /** The number of slots or floating IPs, or the minimum number of hosts. */
  readonly amount: number;
  /** How many of them an active reservation has and must keep; 0 for others. */
  readonly kept: number;
  /** The times at which other reservations release resources. */
  readonly releases: readonly Micros[];
  /** Whether the reservation is possible. The rules are those of the decision. */
  readonly fits: (assumed?: Assumed) => boolean;
  readonly resources: () => readonly Resource[];
}
