// The interface of the types of resources that can be reserved.
import type { Context } from '../../../../kernel/model.ts';
import type { Details, Lease, Reservation, Span } from '../../model.ts';
import type { Values } from '../values.ts';

/** A reservation with its lease. */
export interface LeasedReservation<D extends Details = Details> {
  readonly lease: Lease;
  readonly reservation: Reservation<D>;
}

/** A change of a reservation: of the lease's dates, of the requested resources, or both. */
export interface Change<D extends Details = Details> extends LeasedReservation<D> {
  /** The new dates of the lease. */
  readonly span: Span;
  /** The changed fields, from the body of the request. */
  readonly values: Values;
}

/** A type of resource. Each method runs in the context's transaction, so a failure undoes it. */
export interface ResourceType<D extends Details = Details> {
  /** Reads the requested resources from the body of a request. @throws 400, 404, 409 */
  read(context: Context, values: Values): Promise<D>;
  /** Allocates resources to a reservation. @throws ApiError if there are not enough */
  allocate(context: Context, reserved: LeasedReservation<D>): Promise<void>;
  /**
   * Creates the resources in other services that are needed before the start.
   * @returns the reservation with their ids
   */
  prepare(context: Context, reserved: LeasedReservation<D>): Promise<Reservation<D>>;
  /**
   * Makes the resources available to the project.
   * @returns whether it is done; if not, it is called again later
   */
  start(context: Context, reserved: LeasedReservation<D>): Promise<boolean>;
  /** Runs at the `before_end_lease` event. */
  beforeEnd(context: Context, reserved: LeasedReservation<D>): Promise<void>;
  /**
   * Releases the resources, also if the reservation never started.
   * @returns whether it is done; if not, it is called again later
   */
  end(context: Context, reserved: LeasedReservation<D>): Promise<boolean>;
  /** Updates the allocations. @throws ApiError if the change is impossible */
  update(context: Context, change: Change<D>): Promise<Reservation<D>>;
}

/** Whether the new span includes times that the old one does not. */
export const extendsSpan = (before: Span, after: Span): boolean =>
  after.startAt < before.startAt || after.endAt > before.endAt;
